//! Names of services that hand out keys.
//!
//! A name near a random token is evidence that it is a key, even where the format says nothing:
//! many services hand out plain hexadecimal digits. The names are what the services call
//! themselves, folded to small letters and without spaces. English words that are common in
//! programs are left out, or the evidence would be worth nothing.

use std::sync::LazyLock;

/// The names with their hashes, in the order of those, and a bit for each hash: nearly all words that are asked
/// about are none.
struct Names {
    all: Vec<(usize, &'static [u8])>,
    hashes: Vec<u64>,
}

static NAMES: LazyLock<Names> = LazyLock::new(|| {
    let names = NAMES_LIST.split_ascii_whitespace().map(str::as_bytes);
    let mut all: Vec<_> = names.map(|name| (hash(name, &[]), name)).collect();
    all.sort_unstable();
    let mut hashes = vec![0; 256];
    for (hash, _) in &all {
        if let Some(word) = hashes.get_mut(hash / 64) {
            *word |= 1 << (hash % 64);
        }
    }
    Names { all, hashes }
});

/// Tells whether a word, in small letters, names a service.
pub(super) fn is_service(word: &[u8]) -> bool {
    NAMES.have(word, &[])
}

/// Tells whether two words, written as one, name a service.
pub(super) fn is_service_in_two(first: &[u8], second: &[u8]) -> bool {
    NAMES.have(first, second)
}

impl Names {
    /// Tells whether two parts of a word make a name.
    #[inline]
    fn have(&self, first: &[u8], second: &[u8]) -> bool {
        let hash = hash(first, second);
        self.hashes.get(hash / 64).is_some_and(|bits| bits >> (hash % 64) & 1 == 1)
            && self.hold(hash, first, second)
    }

    /// The same of parts whose hash some name has.
    #[cold]
    #[inline(never)]
    fn hold(&self, hash: usize, first: &[u8], second: &[u8]) -> bool {
        let from = self.all.partition_point(|(known, _)| *known < hash);
        let known = self.all.iter().skip(from).take_while(|(known, _)| *known == hash);
        known.into_iter().any(|(_, name)| name.strip_prefix(first) == Some(second))
    }
}

/// Fourteen bits of a word in two parts, by its length, its first letter and its last two: these tell nearly
/// all words from the names, and nothing is counted for them.
fn hash(first: &[u8], second: &[u8]) -> usize {
    let begin = first.first().or(second.first()).copied().unwrap_or(0);
    let (before, last) = match (first, second) {
        (_, [.., before, last]) | ([.., before, last], []) | ([.., before], [last]) => {
            (*before, *last)
        }
        ([], [last]) | ([last], []) => (0, *last),
        ([], []) => (0, 0),
    };
    let signs = u32::from_le_bytes([(first.len() + second.len()) as u8, begin, before, last]);
    (signs.wrapping_mul(0x9E37_79B1) >> 18) as usize
}

const NAMES_LIST: &str = "
abbysale ablebits ably abstractapi abuseipdb accuweather activecampaign activetrail adafruit
adafruitio addevent adobe adobeio adyen aeroworkflow aftership agora ahrefs aikido airbnb airbrake
airship airtable airtablepat airvisual aiven akamai akeneo akismet akoya albacross alchemy
alconost alegra aletheia algolia alibaba alibabacloud alienvault aliyun allsports alpaca
alphavantage amadeus amazon ambee amocrm amplitude amplitudeapi anaconda androidpublisher
anthropic anypoint apacta apidash apideck apiflash apifonica apify apilayer apimatic apimetrics
apitemplate apolloio appcenter appcircle appcues appdynamics appfigures appfollow appian
appointedd appoptics appsflyer appsmith appsynergy apptivo appveyor appwrite artifactory artsy
asana ascalon assemblyai astra atera atlasgov atlassian attentive audd auth0 auth0oauth autodesk
autoklose autopilot avalara avaza aviationstack awin aws axonaut aylien ayrshare azure azuredevops
azurestorage backblaze badgr bamboohr bandwidth bannerbear baremetrics baseapi basecamp basecrm
baseten beamer beebole beeceptor besnappy bestbuy betterstack betteruptime bigcommerce bigml
bigpicture billomat binance bingmaps bird bitbar bitbucket bitcoinaverage bitfinex bitgo bitly
bitlyaccesstoken bitmex bitrise bitso bittrex bitwarden blablabus blackbaud blazemeter blitapp
blocknative blogger bluejay bombbomb boostnote borgbase botify boxoauth braintree
braintreepayments brandfetch braze brevo bricklink brightdata browserless browserstack browshot
bscscan btcpay buddyns budibase bugcrowd bugherd bugsnag buildkite bulbul bulksms bunny bunnycdn
buttercms caflou calcom calendarific calendly callrail campaignmonitor campayn canny canva
capsulecrm captaindata carboninterface cashboard caspio cdnify censys centralstationcrm cerebras
cexio chargebee chargify chartmogul chatbot chatfuel chatwoot checkio checkly checklyhq checkmarx
checkvist circleci cisco ciscomeraki clarifai clearbit clerk clickhelp clickhouse clicksend
clickup clientary clinchpad clockify clockworksms clojars closecrm closeio cloudant cloudconvert
cloudelements cloudflare cloudflareapi cloudimage cloudinary cloudmersive cloudplan cloudsight
cloudsmith cloudways cloverly cloze clustdoc coda codacy codeclimate codecov codegen codemagic
codequiry codesandbox codigo cohere coinapi coinbase coingecko coinlayer coinlib coinmarketcap
collect2 commercejs commercetools companyhub confluence confluent contentful contentstack
conversiontools convertapi convertkit convox copyscape cosmosdb couchbase countrylayer courier
coveralls craftmypdf createsend credly cribl criticalimpact crossbrowsertesting crowdin
crowdstrike cryptocompare currencycloud currencyfreaks currencylayer currencyscoop currentsapi
customerguru customerio d7network dailyco dandelion dareboost databox databricks datacamp datadog
datafire datagov datastax debounce deepai deepgram deepl deepseek defectdojo delighted demio deno
deputy descope detectify detectlanguage devcycle dfuse dialogflow diffbot diggernaut digicert
digikey digitalocean dingtalk discogs discord discordbot discourse disqus dnscheck dnsimple
dnsmadeeasy docker dockerhub docparser docraptor documo docusign doppler dopplerhq dotdigital
dotmailer dovico dribbble dronahq droneci dropbox dropboxsign duda duffel duplika dwolla dynadot
dynalist dynatrace dyspatch eagleeyenetworks easyinsight easypost ebay ecostruxure edamam edenai
edusign eightxeight elastic elasticemail elevenlabs emailjs enablex endorlabs enginemailer
enterpriseflow envoy envoyapi epsagon equinix esputnik etherscan ethplorer etsy eventbrite
eventful everhour evernote exa exchangerate exchangerateapi exchangeratesapi exoscale expensify
exportsdk extractorapi facebook facebookoauth faceplusplus faraday fastforex fastly fastlypersonal
fauna feedier fetchrss ffmpeg fibery figma fileio finage financialmodelingprep findl finicity
finnhub firebase firebasecloudmessaging firecrawl fireworks fireworksai fivehundredpx fixer
fixerio flatio fleetbase flexport flickr flightapi flightaware flightlabs flightstats floatapp
flowdash flowdock flowflu flutterwave flyio fmfw formbucket formcraft formio formsite formstack
foursquare frameio freeagent freshbooks freshdesk freshsales freshservice freshworks friendli
frontapp fulcrum fullcontact fullstory fxmarket gcp geckoboard geetest gemini gengo geoapify
geocode geocodify geocodio geoip geoipifi getaddress getemail getemails getgeoapi getgist
getresponse getsandbox ghost gitea gitee github githubapp gitlab gitter glassnode gleap gocanvas
gocardless godaddy gofile goodday goodreads google googleapi googlemaps gotify gotinder grafana
grafanacloud graphcms graphhopper greenhouse greptile groovehq groq growsurf gtmetrix guardianapi
gumroad guru gyazo hackerone happi happyscribe harness harvest hashicorp hasura helcim hellosign
helpcrunch helpscout heremaps heroku hetzner highnote hightouch hiveage holidayapi honeybadger
honeycomb hootsuite hostinger hubspot huggingface humanity hunter hunterio hypertrack ibm ibmcloud
iconfinder iexapis iexcloud imagekit imagga imgbb imgix imgur influxdb infobip infracost infura
insightly instabot instacart instagram instamojo intercom interseller intra42 intrinio
invoiceocean ipapi ipdata ipfind ipgeolocation ipify ipinfo ipinfodb ipquality ipqualityscore
ipstack ironmq iterable iterativeci jenkins jetbrains jfrog jira jiratoken jotform jumio jumpcloud
jumpseller juro kairosdb kakao kaleyra kanbantool kandji karmacrm keen keenio keycdn keygen
kickbox kimi kinde kinsta klarna klaviyo klipfolio knapsackpro koyeb kraken kroki kucoin kylas
labelbox lambdatest lamini langchain langfuse langsmith languagelayer lark larksuite launchdarkly
leadfeeder ledgerx lemlist lemonsqueezy lendflow lessannoyingcrm lexigram lightspeed linear
lineargo linemessaging linenotify linkedin linkpreview linode liveagent livechat livekit livestorm
loadmill lob locationiq logdna loggly loginradius logrocket logtail logzio lokalise lokalisetoken
looker loops loyverse lunchmoney luno macaddress madkudu magento mailboxlayer mailboxvalidator
mailchimp mailerlite mailersend mailgun mailjet mailjetbasicauth mailjetsms mailmodo mailsac
mailtrap mandrill mapbox mapquest marketo marketstack mashape mastodon matomo mattermost mavenlink
maxmind maxmindlicense mediastack meetup meilisearch meistertask meraki mesibo messagebird
messenger metabase metrilo mgage microsoftteams midise midtrans mindee mindmeister minimax miro
mistral mite mixmax mixpanel mlflow mockaroo mojohelpdesk mollie monday mondaycom mongodb
monkeylearn moonclerc moonclerk moonshot moosend moralis morphik motherduck mparticle mrticktock
mux muxer myexperiment myfreshworks myintervals nasa nasdaqdatalink natureremo navigo neo4j neon
neptune netcore nethunt netlify netsuite neutrinoapi newrelic newsapi newscatcher newsdata nexmo
nexusrepository nftport ngc ngrok nicereply nightfall ninox noaa noticeable notion nozbe npm nuget
numverify nutritionix nvidia nylas nytimes oanda octopus octopusdeploy ohdear okta ollama omnisend
onbuka oncehub onedesk onelogin onepagecrm onepassword onesignal onetrust onfido onfleet onwaterio
oopspam openai openbanking opencage opencagedata opendatasoft opengraphr openrouter openuv openvpn
openweather openweathermap opsgenie optimizely oraichain orshot overloop owlbot packagecloud
packagist paddle pagarme pagerduty pandadoc pandascore paperform paperspace paralleldots parsec
parsehub parseur parsio partnerstack pastebin patreon paybase paydirt paydirtapp payhere paymo
paymongo paypal paypaloauth paystack payu pdflayer pdfmonkey pdfshift peopledatalabs pepipost
percy perplexity persona personio phrase phraseapp pinata pinecone pinterest pipedream pipedrive
pivotaltracker pixabay pixela plaid plaidkey planetscale planetscaledb planview planviewleankit
planyo plivo podio poeditor pollsapi poloniex polygon polymarket portainer postageapp postbacks
posthog postman postmark postmates powerbi powrbot prediqt prefect prodpad productboard
producthunt profitwell proof prospectcrm prospectio protocolsio prowlapp proxycrawl pubnub
pubnubpublishkey pullrequest pulumi purestake pushbullet pushbulletapi pusher pushover pushwoosh
pypi qase qstash qualaroo qualtrics quay qubole quickbase quickbooks quicknode quizlet quora
rabbitmq railway railwayapp ramp rapid7 rapidapi raven rawg razorpay rchilli reachmail readme
readwise reallysimplesystems rebrandly rechargepayments recraft recurly reddit redis redislabs
refiner render rentman repairshopr replicate replyio requestfinance resend restpack
restpackhtmltopdf resumator retellai revai revampcrm revenuecat ringcentral ringover ritekit
roaring robinhood roblox rocketchat rocketreach rollbar roninapp rootly route4me rownd rubygems
runpod runrunit runway runwayml salesblink salescookie salesflare salesforce saleslens salesmate
sanity satismeter saucelabs savvycal scaleway scalingo scalr scalyr scandit scip scrapeowl
scraperapi scraperbox scrapersite scrapestack scrapfly scrapingant scrapingbee scrapingdog scrapy
screenshotapi screenshotlayer scrutinizer securitytrails segment selectpdf sellfy semantria
semrush sendbird sendbirdorganizationapi sendcloud sendgrid sendinblue sendlane sendpulse sentry
sentrytoken serpapi serper serpstack servicenow setlist sfmc shadowserver sheety sherpadesk
shipday shipengine shippo shipstation shodan shopify shortcut shotcut shotstack shutterstock
shutterstockoauth sidekiq signalwire signaturit signifyd signupgenius sigopt sigstore silverstripe
simfin similarweb simplesat simplybook simplynoted simvoly sinch sirv siteleaf skrappio
skybiometry skype slack slackwebhook slideshare smartling smartsheet smartsheets smartystreets
smooch smugmug snipcart snov snowflake snyk snyktoken sonarcloud sonarqube sonatype sourcegraph
sourcery southwest sparkpost speechace speechtext speechtextai spendesk splashthat splitio splunk
splunkobservability spoonacular sportradar sportsmonk spotify spotifykey sprinklr sproutsocial sqs
squadcast square squareapp squarespace squareup ssllabs stability stabilityai stackhawk
stackoverflow stannp statista statsig statuscake statuspage statuspal stitchdata stockdata
storecove stormboard stormglass storychief strapi strava streak stripe stripo stytch sugester
sumologic supabase supadata superagent supernotes surrealdb surveyanyplace surveybot surveymonkey
surveysparrow survicate swiftype synadia synthesia tableau tailscale tallyfy tapd tatumio tavily
taxjar teamcity teamgate teamviewer teamworkcrm teamworkdesk technicalanalysisapi tefter telegram
telegrambot telesign teletype telnyx terraform terraformcloud tessian textmagic theoddsapi
thingspeak thinkific thousandeyes threatjammer ticketmaster tickettailor tickettree tiingo
timecamp timezoneapi timezonedb tinybird tinypng tly tmetric todoist together togetherai toggl
toggltrack tokeet tomorrow tomorrowio tomtom trackerrms tradier travelpayouts travelperk travis
travisci trello treydigital truenas trufflehog trustpilot twelvedata twilio twitch twitter
twitterapi tyntec typeform typesense typetalk ubidots uclassify udemy unbounce unifyid unplugg
unsplash upbit upcdatabase upcloud updown uplead uploadcare upstash uptimekuma uptimerobot upwave
urlscan usabilla userflow userstack uservoice utelly vagrant vagrantcloud vantage vastai vatlayer
vault vbout venafi vercel verifalia verimail veriphone versioneye viewneo vimeo virustotal
visualcrossing vivocha vk voicegain vonage voodoosms vouchery voyageai vpnapi vsys vultr vyte
wakatime walkscore wandb weatherapi weatherbit weatherstack weaviate webex webexbot webflow
webhook webscraping wefactory weightsandbiases wepay whatcms whatsapp whoxy wikimedia wistia witai
woocommerce woopra wordnik wordpress workable workato workday workos worksnaps workstack
worldcoinindex worldweather wrike xai xata xero yahoo yandex yelp yext youneedabudget younium
yousign youtube yugabyte zai zapier zapierwebhook zapsign zendesk zenkit zenkitapi zenodo zenrows
zenscrape zenserp zeplin zerobounce zerossl zerotier zhipu zhipuai zipapi zipbooks zipcodeapi
zipcodebase ziprecruiter zoho zohocrm zonkafeedback zoom zoominfo zulip zulipchat zuora
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known_and_words_are_not() {
        assert!(is_service(b"datadog") && is_service(b"pdfshift"));
        assert!(is_service_in_two(b"pdf", b"shift") && !is_service_in_two(b"pdf", b"shiftt"));
        assert!(!is_service(b"integrity") && !is_service(b"value") && !is_service(b""));
    }
}
