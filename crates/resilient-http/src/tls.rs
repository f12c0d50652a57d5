//! TLS 1.3: the server's certificate and key. They are read again when a file of theirs has changed, as a renewal does.
//!
//! Without the feature `tls` the server starts with none.

use std::path::PathBuf;

/// Where the certificate and its key are, as PEM.
#[derive(Debug, Clone)]
pub struct TlsFiles {
    /// The server's certificate, and those up to the one that clients trust.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

#[cfg(feature = "tls")]
pub(crate) use self::with::Tls;
#[cfg(not(feature = "tls"))]
pub(crate) use self::without::Tls;

#[cfg(feature = "tls")]
mod with {
    use std::io;
    use std::path::Path;
    use std::sync::{Arc, Mutex, PoisonError};

    use rustls::ServerConfig;
    use rustls::pki_types::pem::PemObject as _;
    use rustls::pki_types::{CertificateDer, PrivateKeyDer};
    use tokio::io::{AsyncRead, AsyncWrite};
    use tokio::time::timeout;
    use tokio_rustls::TlsAcceptor;
    use tokio_rustls::server::TlsStream;

    use super::TlsFiles;
    use crate::limits::HANDSHAKE_PATIENCE;
    use crate::version::Version;

    /// What greets clients.
    pub(crate) struct Tls {
        files: TlsFiles,
        known: Mutex<Known>,
    }

    struct Known {
        acceptor: TlsAcceptor,
        /// The states of the two files that were read last, whether they could be used or not.
        versions: [Option<Version>; 2],
        fault: Option<String>,
    }

    impl Tls {
        /// Reads the certificate and the key.
        ///
        /// # Errors
        /// One of them cannot be read, or is no PEM; they do not belong together.
        pub(crate) fn open(files: TlsFiles) -> io::Result<Self> {
            let versions = versions(&files);
            let acceptor = read(&files)?;
            Ok(Self { files, known: Mutex::new(Known { acceptor, versions, fault: None }) })
        }

        /// Greets a client.
        ///
        /// # Errors
        /// The client speaks no TLS 1.3, takes too long, or is gone.
        pub(crate) async fn greet<S>(&self, stream: S) -> io::Result<TlsStream<S>>
        where
            S: AsyncRead + AsyncWrite + Unpin,
        {
            let acceptor = self.current();
            timeout(HANDSHAKE_PATIENCE, acceptor.accept(stream)).await?
        }

        /// What was found wrong with the files since this was asked last.
        pub(crate) fn take_fault(&self) -> Option<String> {
            self.known.lock().unwrap_or_else(PoisonError::into_inner).fault.take()
        }

        /// With the files as they are now. If they cannot be used, what was read before holds.
        fn current(&self) -> TlsAcceptor {
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            let versions = versions(&self.files);
            if versions != known.versions {
                known.versions = versions;
                match read(&self.files) {
                    Ok(acceptor) => known.acceptor = acceptor,
                    Err(error) => {
                        known.fault =
                            Some(format!("{error}: the certificate that was read before holds"));
                    }
                }
            }
            known.acceptor.clone()
        }
    }

    fn versions(files: &TlsFiles) -> [Option<Version>; 2] {
        [&files.certificate, &files.key].map(|path| Version::of(path).ok())
    }

    fn read(files: &TlsFiles) -> io::Result<TlsAcceptor> {
        let wrong = |path: &Path, what: &str, error: &dyn std::fmt::Display| {
            let text = format!("{} is no {what} in PEM ({error})", path.display());
            io::Error::new(io::ErrorKind::InvalidData, text)
        };
        let TlsFiles { certificate, key } = files;
        let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(certificate)
            .and_then(Iterator::collect)
            .map_err(|error| wrong(certificate, "certificate", &error))?;
        let secret =
            PrivateKeyDer::from_pem_file(key).map_err(|error| wrong(key, "private key", &error))?;
        let config =
            ServerConfig::builder_with_provider(Arc::new(rustls_graviola::default_provider()))
                .with_protocol_versions(&[&rustls::version::TLS13])
                .and_then(|config| config.with_no_client_auth().with_single_cert(chain, secret))
                .map_err(|error| {
                    let (certificate, key) = (certificate.display(), key.display());
                    let text = format!("{certificate} and {key} cannot be used together ({error})");
                    io::Error::new(io::ErrorKind::InvalidData, text)
                })?;
        Ok(TlsAcceptor::from(Arc::new(config)))
    }
}

#[cfg(not(feature = "tls"))]
mod without {
    use std::io;

    use super::TlsFiles;

    /// There is none.
    pub(crate) enum Tls {}

    impl Tls {
        /// # Errors
        /// Always: this server was built without TLS.
        pub(crate) fn open(_: TlsFiles) -> io::Result<Self> {
            let text = "this program was built without TLS: build it with `--features tls`";
            Err(io::Error::new(io::ErrorKind::Unsupported, text))
        }

        #[expect(clippy::unused_async, reason = "with TLS it waits")]
        pub(crate) async fn greet<S>(&self, _: S) -> io::Result<S> {
            match *self {}
        }

        pub(crate) fn take_fault(&self) -> Option<String> {
            match *self {}
        }
    }
}
