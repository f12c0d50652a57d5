//! The rules of units, each with a switch. With all of them the model finds nothing; the tests take each
//! away and say what is then found.

/// All rules; each is on by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rules {
    /// A remove goes onto an empty slot of its own, so that the file's leaving changes no verdict.
    pub(crate) remove_has_slot: bool,
    /// A rename is witnessed by its slots, not by the file that the new name leads to.
    pub(crate) rename_has_slot: bool,
    /// What a failed unit took back is durable before its error is answered.
    pub(crate) sync_after_back: bool,
    /// The decision to take a unit back is durable before anything is taken back.
    pub(crate) void_first: bool,
    /// What comes out of a target is looked at.
    pub(crate) verify: bool,
    /// What fails that look goes back after the decision is durable, not at once.
    pub(crate) void_before_put_back: bool,
    /// The slot of a renamed file's old name is dropped only while the file has another name.
    pub(crate) renamed_file_is_kept: bool,
    /// The slot of a renamed file's old name stays until a later batch is durable.
    pub(crate) renamed_file_stays: bool,
    /// The directories of a conflict are synced before its row is written.
    pub(crate) conflict_syncs_dirs: bool,
    /// A file of equal content is another file.
    pub(crate) identity: bool,
    /// A sweep removes what is empty or named by a row, and moves everything else to `conflicts/`.
    pub(crate) sweep_spares: bool,
    /// The second wait syncs the slots' directory too.
    pub(crate) sync_slots_dir: bool,
    /// Recovery makes rows durable before it acts on them.
    pub(crate) recovery_syncs_rows: bool,
    /// Recovery makes slots durable before it publishes from them.
    pub(crate) recovery_syncs_slots: bool,
    /// A conflict is final.
    pub(crate) conflict_is_final: bool,
    /// A copied state directory is judged as one.
    pub(crate) copy_is_known: bool,
    /// The rows of a withdrawn unit are gone durably before its slots.
    pub(crate) rows_go_first: bool,
    /// Each taking back looks first.
    pub(crate) look_before_back: bool,
    /// What a taking back brought into the slot is looked at.
    pub(crate) verify_back: bool,
    /// Recovery syncs the directories of a unit before it counts as kept.
    pub(crate) sync_before_keep: bool,
    /// A journal's rows and the slots are durable before the first publish.
    pub(crate) first_wait: bool,
    /// A last look precedes each publish.
    pub(crate) last_look: bool,
    /// What fails behind the first publish is taken back by the process that published. Else the outcome is unknown,
    /// and recovery decides.
    pub(crate) takes_back_itself: bool,
    /// Recovery syncs the directories of a unit before it withdraws its rows. Only a file that goes back at once needs
    /// that.
    pub(crate) withdrawal_syncs_dirs: bool,
}

impl Rules {
    /// What the product leaves out. Its units have neither a remove nor a rename.
    pub(crate) fn of_product() -> Self {
        Self {
            void_first: false,
            void_before_put_back: false,
            sync_slots_dir: false,
            takes_back_itself: false,
            withdrawal_syncs_dirs: true,
            ..Self::default()
        }
    }
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            remove_has_slot: true,
            rename_has_slot: true,
            sync_after_back: true,
            void_first: true,
            verify: true,
            void_before_put_back: true,
            conflict_syncs_dirs: true,
            renamed_file_stays: true,
            renamed_file_is_kept: true,
            identity: true,
            sweep_spares: true,
            sync_slots_dir: true,
            recovery_syncs_rows: true,
            recovery_syncs_slots: true,
            conflict_is_final: true,
            copy_is_known: true,
            rows_go_first: true,
            look_before_back: true,
            verify_back: true,
            sync_before_keep: true,
            first_wait: true,
            last_look: true,
            takes_back_itself: true,
            withdrawal_syncs_dirs: false,
        }
    }
}
