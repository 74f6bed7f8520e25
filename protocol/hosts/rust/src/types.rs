//! The params and answers of every method. Written by scripts/gen from protocol/schema.json: do not edit.
#![allow(clippy::large_enum_variant, rustdoc::broken_intra_doc_links, rustdoc::invalid_html_tags)]

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::raw::Raw;

/// The version of the protocol that these types are of.
pub const PROTOCOL_VERSION: &str = "1.1";

/// Who the host is, what it can do, and the policy its sessions begin with.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InitializeParams {
    /// What the host speaks: "1.1", or an older one. Another major version is refused.
    pub protocol_version: String,
    /// Who the host is, for people who read a transcript.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_info: Option<ClientInfo>,
    /// What the host can do. What is not declared is never asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<HostCapabilities>,
    /// The format of the host's messages, one of the answer's `messageFormats`, or "auto": the one that the first
    /// messages show. Absent, "pi".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_format: Option<String>,
    /// The keys that differ from the defaults.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<PolicyKeys>,
    /// Where snapshots are kept; absent, the user's state directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state_dir: Option<String>,
    /// The host's own process. When it is gone, ctxmgr saves and ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process_id: Option<i64>,
    /// The host's own tools, where no name tells what they do. What is declared goes before what ctxmgr knows by
    /// itself, in all sessions. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<DeclaredTool>>,
}

/// The program that spawned ctxmgr.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClientInfo {
    /// Its name.
    pub name: String,
    /// Its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// What the host can do. Nothing is used that was not declared.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HostCapabilities {
    /// When the host can compact on request: false (never), "whenIdle" (true means the same) or "midRun" (also
    /// between two model calls of one run).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_compaction: Option<HostCapabilitiesRequestCompaction>,
    /// It runs a model call for ctxmgr on request: `complete`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub complete: Option<bool>,
    /// Beside `complete`: it answers one that has an `instruction` by appending that, as one user message, to its
    /// last request and what came since, with the same system prompt and tools. Then the provider reads all before
    /// it from its cache. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub complete_on_context: Option<bool>,
    /// It turns texts into vectors on request: `embed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embed: Option<bool>,
    /// Its model has a tool that calls `retrieve`. Without, markers say which call to make again instead of a
    /// handle, and nothing is archived unless `archive` asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retrieve: Option<bool>,
    /// What leaves is archived though its model has no tool for it: people `search` and `retrieve` it. No list
    /// changes by it. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archive: Option<bool>,
    /// It applies `edits`. Every `context` says by itself which answer it wants.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edits: Option<bool>,
    /// It takes `telemetry/event`: what happens in its sessions, in numbers. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub telemetry: Option<bool>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum HostCapabilitiesRequestCompaction {
    CompactionMoment(CompactionMoment),
    Bool(bool),
}

impl From<CompactionMoment> for HostCapabilitiesRequestCompaction {
    fn from(it: CompactionMoment) -> Self {
        Self::CompactionMoment(it)
    }
}

impl From<bool> for HostCapabilitiesRequestCompaction {
    fn from(it: bool) -> Self {
        Self::Bool(it)
    }
}

/// When a host can compact on request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CompactionMoment {
    #[serde(rename = "whenIdle")]
    WhenIdle,
    #[serde(rename = "midRun")]
    MidRun,
    #[serde(untagged)]
    Other(String),
}

/// Settings that differ from the defaults. An unknown key is refused (-32602). Beyond what a schema can say: zones
/// must rise, slices may not overlap by all they hold, and `model` "endpoint" needs an `endpoint`.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyKeys {
    /// What is done to a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<Preset>,
    /// Preset turns: how many of the newest turns are kept, by zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recent_user_turns: Option<TurnsKeptKeys>,
    /// Where the zones begin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zones: Option<ZonesKeys>,
    /// Preset turns: how long a tool result in an older turn may be, by zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distill: Option<DistillOverKeys>,
    /// The packet's budget in tokens, by zone; a number is the budget in green, and less above. Instructions stand
    /// beside it word for word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packet_tokens: Option<PolicyKeysPacketTokens>,
    /// The resume packet's budget in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resume_tokens: Option<u64>,
    /// Tokens kept free for the reply; never more than a quarter of the window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reserve: Option<u64>,
    /// Tokens that the host keeps free before it compacts by itself. Red begins before that. The default counts for
    /// a quarter of the window at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_reserve: Option<u64>,
    /// Work as if the window were no larger than this many tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective_window: Option<u64>,
    /// Bytes of a request: its list as JSON, and 4 for each of `overheadTokens`. Over it the oldest pictures and
    /// documents become a text. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_request_bytes: Option<u64>,
    /// Pictures and documents of a list; null: as many as the provider is known to take. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_images: Option<u64>,
    /// A longer tool result is cut to so many tokens as it arrives; null: none is. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_result_tokens: Option<u64>,
    /// Has no effect since rules 3; accepted from older hosts. See `keep`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_versus_recall: Option<f64>,
    /// Has no effect since rules 3; accepted from older hosts. See `keep`. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_tokens: Option<u64>,
    /// Has no effect since rules 3; accepted from older hosts. See `keep`. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest_tokens: Option<u64>,
    /// Has no effect since rules 3; accepted from older hosts. See `keep`. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index_tokens: Option<u64>,
    /// What tokens cost, for a model whose host does not say. Only proportions count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prices: Option<ModelPricesKeys>,
    /// Milliseconds that a prompt is kept; null: as learned, else as is known of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_ttl_ms: Option<u64>,
    /// Who writes compactions, and how; the short form says who.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compaction: Option<PolicyKeysCompaction>,
    /// Which vocabulary pressure goes by while no usage is known; the short form is its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokenizer: Option<PolicyKeysTokenizer>,
    /// What differs by model id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub models: Option<BTreeMap<String, Option<ModelPolicyKeys>>>,
    /// How long originals are kept for `retrieve`, and whether with their secrets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archive: Option<ArchiveKeys>,
    /// Tool output in so many of the newest turns is never pruned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protected_turns: Option<u64>,
    /// At least so many tokens of the newest older tool output stay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prune_protect: Option<u64>,
    /// Pruning begins where it saves at least so many tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prune_minimum: Option<u64>,
    /// Tools whose output is never pruned, named in whatever case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protected_tools: Option<Vec<String>>,
    /// What others told the model (CLAUDE.md, AGENTS.md, skills, rules, memories) stays in place, or word for word
    /// in the packet. Globs: these files instead. False: it is as any output. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protected_instructions: Option<PolicyKeysProtectedInstructions>,
    /// Tools whose output may be pruned, named in whatever case; empty: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prunable_tools: Option<Vec<String>>,
    /// A session that nobody asks for in so many minutes leaves memory, and comes back from its snapshot with the
    /// next call; 0: it stays. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_minutes: Option<u64>,
    /// Preset balanced: what it costs, in tokens of input, that the model lacks a stretch of text it repeats. The
    /// more, the longer text stays: lean is 330, balanced 1700, careful 3400. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep: Option<PolicyKeysKeep>,
    /// Preset balanced: what the first call sends once the provider's cache has ended. say: what is worth its
    /// place. prune: a fifth of the list, and at least what must stay. The status tells both. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle: Option<Idle>,
    /// The newest of a list, which is sent byte for byte in every preset. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub working_set: Option<WorkingSetKeys>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PolicyKeysPacketTokens {
    U64(u64),
    PacketTokensKeys(PacketTokensKeys),
}

impl From<u64> for PolicyKeysPacketTokens {
    fn from(it: u64) -> Self {
        Self::U64(it)
    }
}

impl From<PacketTokensKeys> for PolicyKeysPacketTokens {
    fn from(it: PacketTokensKeys) -> Self {
        Self::PacketTokensKeys(it)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PolicyKeysCompaction {
    Writer(Writer),
    CompactionPolicyKeys(CompactionPolicyKeys),
}

impl From<Writer> for PolicyKeysCompaction {
    fn from(it: Writer) -> Self {
        Self::Writer(it)
    }
}

impl From<CompactionPolicyKeys> for PolicyKeysCompaction {
    fn from(it: CompactionPolicyKeys) -> Self {
        Self::CompactionPolicyKeys(it)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PolicyKeysTokenizer {
    String(String),
    TokenizerKeys(TokenizerKeys),
}

impl From<String> for PolicyKeysTokenizer {
    fn from(it: String) -> Self {
        Self::String(it)
    }
}

impl From<TokenizerKeys> for PolicyKeysTokenizer {
    fn from(it: TokenizerKeys) -> Self {
        Self::TokenizerKeys(it)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PolicyKeysProtectedInstructions {
    Bool(bool),
    VecString(Vec<String>),
}

impl From<bool> for PolicyKeysProtectedInstructions {
    fn from(it: bool) -> Self {
        Self::Bool(it)
    }
}

impl From<Vec<String>> for PolicyKeysProtectedInstructions {
    fn from(it: Vec<String>) -> Self {
        Self::VecString(it)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PolicyKeysKeep {
    KeepPoint(KeepPoint),
    U64(u64),
}

impl From<KeepPoint> for PolicyKeysKeep {
    fn from(it: KeepPoint) -> Self {
        Self::KeepPoint(it)
    }
}

impl From<u64> for PolicyKeysKeep {
    fn from(it: u64) -> Self {
        Self::U64(it)
    }
}

/// What ctxmgr does to a list: `off` nothing; `tools` prunes old tool output; `turns` keeps the newest turns and
/// puts a packet in the place of the others; `balanced` takes out old steps and results where that is cheaper than
/// keeping them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Preset {
    #[serde(rename = "off")]
    Off,
    #[serde(rename = "tools")]
    Tools,
    #[serde(rename = "turns")]
    Turns,
    #[serde(rename = "balanced")]
    Balanced,
    #[serde(untagged)]
    Other(String),
}

/// How many of the newest turns are kept whole, by zone.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnsKeptKeys {
    /// In green.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub green: Option<u64>,
    /// In yellow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub yellow: Option<u64>,
    /// In red.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub red: Option<u64>,
    /// In compact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compact: Option<u64>,
}

/// Where yellow, red and compact begin, as shares of the usable window. They rise.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ZonesKeys {
    /// Share of the usable window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub yellow: Option<f64>,
    /// Share of the usable window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub red: Option<f64>,
    /// Share of the usable window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compact: Option<f64>,
}

/// A tool result in a kept older turn is distilled when it is longer, in characters, by zone.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DistillOverKeys {
    /// In green.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub green: Option<u64>,
    /// In yellow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub yellow: Option<u64>,
    /// In red.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub red: Option<u64>,
    /// In compact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compact: Option<u64>,
}

/// The packet's budget in tokens, by zone.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PacketTokensKeys {
    /// In green.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub green: Option<u64>,
    /// In yellow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub yellow: Option<u64>,
    /// In red.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub red: Option<u64>,
    /// In compact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compact: Option<u64>,
}

/// Dollars per million tokens. Not told: as known of the very model, in proportion, else as each key says.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelPricesKeys {
    /// Of a prompt's tokens.
    pub input: f64,
    /// Of what the model writes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<f64>,
    /// Of what the cache holds of it; null: a tenth of the input's; 0: free.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<f64>,
    /// Of a prompt's tokens that the cache is to hold; 0: as the input's, where the price of reading is told, else
    /// 1.25 of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<f64>,
    /// What longer requests cost instead. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tiers: Option<Vec<LongRequestPricesKeys>>,
}

/// Dollars per million tokens of a request that is longer than a bound, of all of it.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LongRequestPricesKeys {
    /// The bound: tokens of input.
    pub above_tokens: u64,
    /// Of a prompt's tokens.
    pub input: f64,
    /// Of what the model writes; 0: in proportion to input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<f64>,
    /// Of what the cache holds; null: in proportion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<f64>,
    /// Of what it is to hold; 0: in proportion to input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<f64>,
}

/// Who writes compactions and branch summaries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Writer {
    #[serde(rename = "host")]
    Host,
    #[serde(rename = "ctxmgr")]
    Ctxmgr,
    #[serde(untagged)]
    Other(String),
}

/// Who writes compactions, how much stays, and how a summary is made.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompactionPolicyKeys {
    /// Who writes them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<Writer>,
    /// False: none is asked for. `compact` works all the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Tokens kept free for the reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reserve_tokens: Option<u64>,
    /// Tokens of the newest messages that stay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_recent_tokens: Option<u64>,
    /// Tokens a branch summary leaves free.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch_reserve_tokens: Option<u64>,
    /// How these tokens are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weigher: Option<Weigher>,
    /// How a summary is made; null: in one call with a model, extractive without.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strategy: Option<Strategy>,
    /// The sections a summary has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<SummaryFormat>,
    /// Who runs the model: the host (`complete`), an endpoint, nobody; null: the host where it can, else an
    /// endpoint where one is named, else nobody.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<SummaryModel>,
    /// The server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<EndpointKeys>,
    /// How a long history is cut up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slices: Option<SlicesKeys>,
    /// Model calls side by side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<u64>,
    /// How often a failed call is made again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retries: Option<u64>,
    /// The longest a summary may take, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<u64>,
    /// Write it ahead, from yellow on. That spends money.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prepare_ahead: Option<bool>,
    /// What every summary is asked for in addition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// Your own prompts; ctxmgr's are in the answer to `planCompaction`. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompts: Option<SummaryPromptsKeys>,
}

/// "tokens": real ones, as the session counts. "chars4": UTF-16 units / 4, as pi counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Weigher {
    #[serde(rename = "tokens")]
    Tokens,
    #[serde(rename = "chars4")]
    Chars4,
    #[serde(untagged)]
    Other(String),
}

/// How a summary is made: one call; slices side by side, then joined; slices one after the other, each told what
/// the ones before gave (`sequential-accumulated`) or writing the summary on (`sequential-rolling`, `incremental`);
/// without a model, from what was said (`extractive`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Strategy {
    #[serde(rename = "single-shot")]
    SingleShot,
    #[serde(rename = "parallel-stitch")]
    ParallelStitch,
    #[serde(rename = "sequential-accumulated")]
    SequentialAccumulated,
    #[serde(rename = "sequential-rolling")]
    SequentialRolling,
    #[serde(rename = "incremental")]
    Incremental,
    #[serde(rename = "extractive")]
    Extractive,
    #[serde(untagged)]
    Other(String),
}

/// The sections a summary has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SummaryFormat {
    #[serde(rename = "structured")]
    Structured,
    #[serde(rename = "nine-section")]
    NineSection,
    #[serde(rename = "handoff")]
    Handoff,
    #[serde(rename = "continue")]
    Continue,
    #[serde(untagged)]
    Other(String),
}

/// Who runs the model that writes a summary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SummaryModel {
    #[serde(rename = "host")]
    Host,
    #[serde(rename = "endpoint")]
    Endpoint,
    #[serde(rename = "none")]
    None,
    #[serde(untagged)]
    Other(String),
}

/// A model server that writes summaries.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EndpointKeys {
    /// Its address: all before `/chat/completions`, up to and with `/v1`; for `anthropic` all before
    /// `/v1/messages`.
    pub base_url: String,
    /// The model's name there.
    pub model: String,
    /// The environment variable that holds the key: keys stand in no policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_key_env: Option<String>,
    /// The model's window in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
    /// The longest that one call may take, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// What it speaks: OpenAI's chat completions, or Anthropic's messages. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api: Option<EndpointApi>,
}

/// What a model server speaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EndpointApi {
    #[serde(rename = "chat")]
    Chat,
    #[serde(rename = "anthropic")]
    Anthropic,
    #[serde(untagged)]
    Other(String),
}

/// How a long history is cut up for a model.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SlicesKeys {
    /// Tokens of a slice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Tokens that two neighbours share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overlap: Option<u64>,
    /// The answer to a slice, as a share of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// So many of the newest slices get a longer answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest: Option<u64>,
    /// So many times as long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest_boost: Option<f64>,
    /// Cut at the step nearest to the size, or where the subject changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breaks: Option<SliceBreaks>,
    /// What tells a change of subject: words, the embeddings extra, or the host's `embed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cohesion: Option<SliceCohesion>,
    /// What of a slice is shown goes by what matters to the goal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weighted: Option<bool>,
}

/// Where a long history is cut up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SliceBreaks {
    #[serde(rename = "steps")]
    Steps,
    #[serde(rename = "natural")]
    Natural,
    #[serde(untagged)]
    Other(String),
}

/// What tells a change of subject.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SliceCohesion {
    #[serde(rename = "words")]
    Words,
    #[serde(rename = "embeddings")]
    Embeddings,
    #[serde(rename = "host")]
    Host,
    #[serde(untagged)]
    Other(String),
}

/// Prompts of your own in place of ctxmgr's; "": ctxmgr's. The record stands above them, in tags, and
/// `instructions` below. What answers one of `history`, `turnPrefix` and `branch` has no sections that it is
/// checked by: any text is the summary, and `format` is not asked for.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SummaryPromptsKeys {
    /// The system prompt of every call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// What is to be written of the conversation that a compaction takes out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<String>,
    /// The same of the first part of a turn whose rest is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_prefix: Option<String>,
    /// The same of a branch that was left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
}

/// Which vocabulary pressure goes by while no usage is known. What stays in a list goes by an estimate.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenizerKeys {
    /// "o200k_base", or "estimate" for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its file; null: where it is kept by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// What may differ by model; an absent key is as the policy says.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelPolicyKeys {
    /// Where the zones begin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zones: Option<ZonesKeys>,
    /// Tokens kept free for the reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reserve: Option<u64>,
    /// Tokens that the host keeps free before it compacts by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_reserve: Option<u64>,
    /// Work as if the window were no larger than this many tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective_window: Option<u64>,
    /// Who writes compactions, and how.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compaction: Option<ModelPolicyKeysCompaction>,
    /// What its tokens cost, if no host says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prices: Option<ModelPricesKeys>,
    /// How long its provider keeps a prompt's prefix, where the host does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_ttl_ms: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ModelPolicyKeysCompaction {
    Writer(Writer),
    CompactionPolicyKeys(CompactionPolicyKeys),
}

impl From<Writer> for ModelPolicyKeysCompaction {
    fn from(it: Writer) -> Self {
        Self::Writer(it)
    }
}

impl From<CompactionPolicyKeys> for ModelPolicyKeysCompaction {
    fn from(it: CompactionPolicyKeys) -> Self {
        Self::CompactionPolicyKeys(it)
    }
}

/// How long originals are kept for `retrieve`: the oldest go first, those of open sessions never; and whether with
/// the secrets in them.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ArchiveKeys {
    /// Days since they left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_age_days: Option<u64>,
    /// Megabytes (10^6 bytes) of text in the whole state directory, all sessions together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_megabytes: Option<u64>,
    /// Keep secrets of known shapes in originals as they are. False: they are masked before they are written to
    /// disk, and `retrieve` gives `[masked]` in their place. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_secrets: Option<bool>,
}

/// How much stays, by what it is worth: `lean` least, `careful` most.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum KeepPoint {
    #[serde(rename = "lean")]
    Lean,
    #[serde(rename = "balanced")]
    Balanced,
    #[serde(rename = "careful")]
    Careful,
    #[serde(untagged)]
    Other(String),
}

/// What the first call after the provider's cache has ended sends: `say` as usual; `prune` a fifth.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Idle {
    #[serde(rename = "say")]
    Say,
    #[serde(rename = "prune")]
    Prune,
    #[serde(untagged)]
    Other(String),
}

/// The newest of a list, in whole steps: it goes out byte for byte while it fits the window.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkingSetKeys {
    /// At least so many of the newest tool results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results: Option<u64>,
    /// At least so many tokens of the newest steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
}

/// A tool of the host by its name, and the arguments that hold a path (or a list of paths) or a command line. Each
/// names one argument; a tool that does several things names several, and a call does those whose argument it has.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeclaredTool {
    /// Its name, as it stands in calls.
    pub name: String,
    /// Holds the path of a file whose text is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reads: Option<String>,
    /// Holds the path of a file that is written whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writes: Option<String>,
    /// Holds the path of a file that is changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edits: Option<String>,
    /// Holds the path of a file that is taken away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deletes: Option<String>,
    /// Holds a command line of a shell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs: Option<String>,
    /// Holds the path of what is searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searches: Option<String>,
    /// Holds the path of what is listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lists: Option<String>,
}

/// What ctxmgr is and can do, and the policy that came of the host's keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InitializeResult {
    /// What is spoken: the older of what the host and ctxmgr speak.
    pub protocol_version: String,
    /// Name and version of this ctxmgr.
    pub server_info: ServerInfo,
    /// What ctxmgr can do.
    pub capabilities: ServerCapabilities,
    /// All policy keys with their values.
    pub policy: Policy,
}

/// Name and version of this ctxmgr.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerInfo {
    /// "ctxmgr".
    pub name: String,
    /// The version of the program, not of the protocol.
    pub version: String,
}

/// What this ctxmgr can do.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerCapabilities {
    /// Formats that `initialize` may name.
    pub message_formats: Vec<String>,
    /// Presets that a policy may name.
    pub presets: Vec<String>,
    /// Framings that are understood.
    pub framings: Vec<String>,
    /// `context` takes `append`.
    pub append: bool,
    /// `context` takes `answer: "edits"`.
    pub edits: bool,
}

/// All settings of a session. Tokens are ctxmgr's own weights where nothing else is said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Policy {
    /// What is done to a list.
    pub preset: Preset,
    /// Preset turns: how many of the newest turns are kept, by zone.
    pub recent_user_turns: TurnsKept,
    /// Where the zones begin.
    pub zones: Zones,
    /// Preset turns: how long a tool result in an older turn may be, by zone.
    pub distill: DistillOver,
    /// The packet's budget in tokens, by zone; a number is the budget in green, and less above. Instructions stand
    /// beside it word for word.
    pub packet_tokens: PolicyPacketTokens,
    /// The resume packet's budget in tokens.
    pub resume_tokens: u64,
    /// Tokens kept free for the reply; never more than a quarter of the window.
    pub reserve: u64,
    /// Tokens that the host keeps free before it compacts by itself. Red begins before that. The default counts for
    /// a quarter of the window at most.
    pub host_reserve: u64,
    /// Work as if the window were no larger than this many tokens.
    pub effective_window: Option<u64>,
    /// Bytes of a request: its list as JSON, and 4 for each of `overheadTokens`. Over it the oldest pictures and
    /// documents become a text. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_request_bytes: Option<u64>,
    /// Pictures and documents of a list; null: as many as the provider is known to take. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_images: Option<u64>,
    /// A longer tool result is cut to so many tokens as it arrives; null: none is. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_result_tokens: Option<u64>,
    /// Has no effect since rules 3; accepted from older hosts. See `keep`.
    pub cost_versus_recall: f64,
    /// Has no effect since rules 3; accepted from older hosts. See `keep`. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_tokens: Option<u64>,
    /// Has no effect since rules 3; accepted from older hosts. See `keep`. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest_tokens: Option<u64>,
    /// Has no effect since rules 3; accepted from older hosts. See `keep`. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index_tokens: Option<u64>,
    /// What tokens cost, for a model whose host does not say. Only proportions count.
    pub prices: Option<ModelPrices>,
    /// Milliseconds that a prompt is kept; null: as learned, else as is known of the model.
    pub cache_ttl_ms: Option<u64>,
    /// Who writes compactions, and how; the short form says who.
    pub compaction: PolicyCompaction,
    /// Which vocabulary pressure goes by while no usage is known; the short form is its name.
    pub tokenizer: PolicyTokenizer,
    /// What differs by model id.
    pub models: BTreeMap<String, ModelPolicy>,
    /// How long originals are kept for `retrieve`, and whether with their secrets.
    pub archive: Archive,
    /// Tool output in so many of the newest turns is never pruned.
    pub protected_turns: u64,
    /// At least so many tokens of the newest older tool output stay.
    pub prune_protect: u64,
    /// Pruning begins where it saves at least so many tokens.
    pub prune_minimum: u64,
    /// Tools whose output is never pruned, named in whatever case.
    pub protected_tools: Vec<String>,
    /// What others told the model (CLAUDE.md, AGENTS.md, skills, rules, memories) stays in place, or word for word
    /// in the packet. Globs: these files instead. False: it is as any output. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protected_instructions: Option<PolicyProtectedInstructions>,
    /// Tools whose output may be pruned, named in whatever case; empty: all.
    pub prunable_tools: Vec<String>,
    /// A session that nobody asks for in so many minutes leaves memory, and comes back from its snapshot with the
    /// next call; 0: it stays. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_minutes: Option<u64>,
    /// Preset balanced: what it costs, in tokens of input, that the model lacks a stretch of text it repeats. The
    /// more, the longer text stays: lean is 330, balanced 1700, careful 3400. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep: Option<PolicyKeep>,
    /// Preset balanced: what the first call sends once the provider's cache has ended. say: what is worth its
    /// place. prune: a fifth of the list, and at least what must stay. The status tells both. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle: Option<Idle>,
    /// The newest of a list, which is sent byte for byte in every preset. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub working_set: Option<WorkingSet>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PolicyPacketTokens {
    U64(u64),
    PacketTokens(PacketTokens),
}

impl From<u64> for PolicyPacketTokens {
    fn from(it: u64) -> Self {
        Self::U64(it)
    }
}

impl From<PacketTokens> for PolicyPacketTokens {
    fn from(it: PacketTokens) -> Self {
        Self::PacketTokens(it)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PolicyCompaction {
    Writer(Writer),
    CompactionPolicy(CompactionPolicy),
}

impl From<Writer> for PolicyCompaction {
    fn from(it: Writer) -> Self {
        Self::Writer(it)
    }
}

impl From<CompactionPolicy> for PolicyCompaction {
    fn from(it: CompactionPolicy) -> Self {
        Self::CompactionPolicy(it)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PolicyTokenizer {
    String(String),
    Tokenizer(Tokenizer),
}

impl From<String> for PolicyTokenizer {
    fn from(it: String) -> Self {
        Self::String(it)
    }
}

impl From<Tokenizer> for PolicyTokenizer {
    fn from(it: Tokenizer) -> Self {
        Self::Tokenizer(it)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PolicyProtectedInstructions {
    Bool(bool),
    VecString(Vec<String>),
}

impl From<bool> for PolicyProtectedInstructions {
    fn from(it: bool) -> Self {
        Self::Bool(it)
    }
}

impl From<Vec<String>> for PolicyProtectedInstructions {
    fn from(it: Vec<String>) -> Self {
        Self::VecString(it)
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum PolicyKeep {
    KeepPoint(KeepPoint),
    U64(u64),
}

impl From<KeepPoint> for PolicyKeep {
    fn from(it: KeepPoint) -> Self {
        Self::KeepPoint(it)
    }
}

impl From<u64> for PolicyKeep {
    fn from(it: u64) -> Self {
        Self::U64(it)
    }
}

/// How many of the newest turns are kept whole, by zone.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnsKept {
    /// In green.
    pub green: u64,
    /// In yellow.
    pub yellow: u64,
    /// In red.
    pub red: u64,
    /// In compact.
    pub compact: u64,
}

/// Where yellow, red and compact begin, as shares of the usable window. They rise.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Zones {
    /// Share of the usable window.
    pub yellow: f64,
    /// Share of the usable window.
    pub red: f64,
    /// Share of the usable window.
    pub compact: f64,
}

/// A tool result in a kept older turn is distilled when it is longer, in characters, by zone.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DistillOver {
    /// In green.
    pub green: u64,
    /// In yellow.
    pub yellow: u64,
    /// In red.
    pub red: u64,
    /// In compact.
    pub compact: u64,
}

/// The packet's budget in tokens, by zone.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PacketTokens {
    /// In green.
    pub green: u64,
    /// In yellow.
    pub yellow: u64,
    /// In red.
    pub red: u64,
    /// In compact.
    pub compact: u64,
}

/// Dollars per million tokens. Not told: as known of the very model, in proportion, else as each key says.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelPrices {
    /// Of a prompt's tokens.
    pub input: f64,
    /// Of what the model writes.
    pub output: f64,
    /// Of what the cache holds of it; null: a tenth of the input's; 0: free.
    pub cache_read: Option<f64>,
    /// Of a prompt's tokens that the cache is to hold; 0: as the input's, where the price of reading is told, else
    /// 1.25 of it.
    pub cache_write: f64,
    /// What longer requests cost instead. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tiers: Option<Vec<LongRequestPrices>>,
}

/// Dollars per million tokens of a request that is longer than a bound, of all of it.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LongRequestPrices {
    /// The bound: tokens of input.
    pub above_tokens: u64,
    /// Of a prompt's tokens.
    pub input: f64,
    /// Of what the model writes; 0: in proportion to input.
    pub output: f64,
    /// Of what the cache holds; null: in proportion.
    pub cache_read: Option<f64>,
    /// Of what it is to hold; 0: in proportion to input.
    pub cache_write: f64,
}

/// Who writes compactions, how much stays, and how a summary is made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompactionPolicy {
    /// Who writes them.
    pub by: Writer,
    /// False: none is asked for. `compact` works all the same.
    pub enabled: bool,
    /// Tokens kept free for the reply.
    pub reserve_tokens: u64,
    /// Tokens of the newest messages that stay.
    pub keep_recent_tokens: u64,
    /// Tokens a branch summary leaves free.
    pub branch_reserve_tokens: u64,
    /// How these tokens are counted.
    pub weigher: Weigher,
    /// How a summary is made; null: in one call with a model, extractive without.
    pub strategy: Option<Strategy>,
    /// The sections a summary has.
    pub format: SummaryFormat,
    /// Who runs the model: the host (`complete`), an endpoint, nobody; null: the host where it can, else an
    /// endpoint where one is named, else nobody.
    pub model: Option<SummaryModel>,
    /// The server.
    pub endpoint: Option<Endpoint>,
    /// How a long history is cut up.
    pub slices: Slices,
    /// Model calls side by side.
    pub concurrency: u64,
    /// How often a failed call is made again.
    pub retries: u64,
    /// The longest a summary may take, in milliseconds.
    pub deadline_ms: u64,
    /// Write it ahead, from yellow on. That spends money.
    pub prepare_ahead: bool,
    /// What every summary is asked for in addition.
    pub instructions: Option<String>,
    /// Your own prompts; ctxmgr's are in the answer to `planCompaction`. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompts: Option<SummaryPrompts>,
}

/// A model server that writes summaries.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Endpoint {
    /// Its address: all before `/chat/completions`, up to and with `/v1`; for `anthropic` all before
    /// `/v1/messages`.
    pub base_url: String,
    /// The model's name there.
    pub model: String,
    /// The environment variable that holds the key: keys stand in no policy.
    pub api_key_env: Option<String>,
    /// The model's window in tokens.
    pub context_window: u64,
    /// The longest that one call may take, in milliseconds.
    pub timeout_ms: u64,
    /// What it speaks: OpenAI's chat completions, or Anthropic's messages. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api: Option<EndpointApi>,
}

/// How a long history is cut up for a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Slices {
    /// Tokens of a slice.
    pub tokens: u64,
    /// Tokens that two neighbours share.
    pub overlap: u64,
    /// The answer to a slice, as a share of it.
    pub ratio: f64,
    /// So many of the newest slices get a longer answer.
    pub newest: u64,
    /// So many times as long.
    pub newest_boost: f64,
    /// Cut at the step nearest to the size, or where the subject changes.
    pub breaks: SliceBreaks,
    /// What tells a change of subject: words, the embeddings extra, or the host's `embed`.
    pub cohesion: SliceCohesion,
    /// What of a slice is shown goes by what matters to the goal.
    pub weighted: bool,
}

/// Prompts of your own in place of ctxmgr's; "": ctxmgr's. The record stands above them, in tags, and
/// `instructions` below. What answers one of `history`, `turnPrefix` and `branch` has no sections that it is
/// checked by: any text is the summary, and `format` is not asked for.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SummaryPrompts {
    /// The system prompt of every call.
    pub system: String,
    /// What is to be written of the conversation that a compaction takes out.
    pub history: String,
    /// The same of the first part of a turn whose rest is kept.
    pub turn_prefix: String,
    /// The same of a branch that was left.
    pub branch: String,
}

/// Which vocabulary pressure goes by while no usage is known. What stays in a list goes by an estimate.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tokenizer {
    /// "o200k_base", or "estimate" for none.
    pub name: String,
    /// Its file; null: where it is kept by itself.
    pub path: Option<String>,
}

/// What may differ by model; an absent key is as the policy says.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelPolicy {
    /// Where the zones begin.
    pub zones: Option<Zones>,
    /// Tokens kept free for the reply.
    pub reserve: Option<u64>,
    /// Tokens that the host keeps free before it compacts by itself.
    pub host_reserve: Option<u64>,
    /// Work as if the window were no larger than this many tokens.
    pub effective_window: Option<u64>,
    /// Who writes compactions, and how.
    pub compaction: Option<ModelPolicyCompaction>,
    /// What its tokens cost, if no host says it.
    pub prices: Option<ModelPrices>,
    /// How long its provider keeps a prompt's prefix, where the host does not say.
    pub cache_ttl_ms: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ModelPolicyCompaction {
    Writer(Writer),
    CompactionPolicy(CompactionPolicy),
}

impl From<Writer> for ModelPolicyCompaction {
    fn from(it: Writer) -> Self {
        Self::Writer(it)
    }
}

impl From<CompactionPolicy> for ModelPolicyCompaction {
    fn from(it: CompactionPolicy) -> Self {
        Self::CompactionPolicy(it)
    }
}

/// How long originals are kept for `retrieve`: the oldest go first, those of open sessions never; and whether with
/// the secrets in them.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Archive {
    /// Days since they left.
    pub max_age_days: u64,
    /// Megabytes (10^6 bytes) of text in the whole state directory, all sessions together.
    pub max_megabytes: u64,
    /// Keep secrets of known shapes in originals as they are. False: they are masked before they are written to
    /// disk, and `retrieve` gives `[masked]` in their place. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_secrets: Option<bool>,
}

/// The newest of a list, in whole steps: it goes out byte for byte while it fits the window.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkingSet {
    /// At least so many of the newest tool results.
    pub results: u64,
    /// At least so many tokens of the newest steps.
    pub tokens: u64,
}

/// Nothing. `params` may be left out.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NoParams {
}

/// Which request is cancelled.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CancelParams {
    /// The id of the request, as it was sent.
    pub id: RequestId,
}

/// The id of a request. ctxmgr answers with it byte for byte; its own are strings.
pub type RequestId = Raw;

/// The protocol as an OpenRPC document; `openrpc.json` in this folder is the same.
pub type DiscoverResult = Raw;

/// A session and the model it begins with. It is no event: it does not count in `seq`.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionStartParams {
    /// The host's own id of the session; the same id goes on where it ended.
    pub session_id: String,
    /// The model that the session's lists are for.
    pub model: Model,
    /// The working directory. Lists of saved sessions show it; it is not used otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The host's session tree, oldest entry first: ctxmgr learns from it what a snapshot does not hold, and which
    /// entry each message belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<Vec<Entry>>,
    /// The entry the session stands at; absent, the last of `entries`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaf_id: Option<String>,
    /// The format of this session's messages; absent, that of `initialize`. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_format: Option<String>,
    /// Tools of this session, beside those of `initialize` and before them. Absent here and there, what the session
    /// had holds. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<DeclaredTool>>,
}

/// A model and its window.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Model {
    /// The model's name. What is measured about its tokens is kept by this name.
    pub id: String,
    /// Its window in tokens.
    pub context_window: f64,
    /// Who runs it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The longest answer in tokens. Summaries that this model writes are kept below it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<f64>,
    /// What its tokens cost. Only proportions count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prices: Option<Prices>,
    /// How long its provider keeps a cached prompt, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_ttl_ms: Option<f64>,
    /// Its calls may wait, as requests of a batch do: where no prices are told, those known of a batch hold. Since
    /// 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<bool>,
    /// Its template refuses a list in which users and the assistant do not take turns, tool flow left out: an
    /// answered list has them so where the given one has, and the packet stands inside a user's message. Without it
    /// the model's name tells, or a refusal. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strict_roles: Option<bool>,
}

/// Dollars per million tokens. Not told: as known of the very model, in proportion, else as each member says.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Prices {
    /// Input that no cache held; 0: no price is told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<f64>,
    /// Output; 0: not told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<f64>,
    /// Input read from a cache; 0: it is free; absent: a tenth of the input's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<f64>,
    /// Input written to a cache; absent or 0: as the input's, where the price of reading is told, else 1.25 of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<f64>,
    /// What longer requests cost instead; absent: as is known of the model, in proportion. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tiers: Option<Vec<HostTierPrices>>,
}

/// Dollars per million tokens of a request that is longer than a bound, of all of it. What is not told is as many
/// times the plain price as input is.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HostTierPrices {
    /// The bound: tokens of input.
    pub above_tokens: f64,
    /// Input that no cache held.
    pub input: f64,
    /// Output; 0: not told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<f64>,
    /// Input read from a cache; 0: it is free.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<f64>,
    /// Input written to a cache; 0: not told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<f64>,
}

/// One entry of the host's session tree, the host's own object: `{id, parentId, type, timestamp?}` and what belongs
/// to its type, as pi has it: `message` of a message, `summary` of a compaction. Types that are not known have a
/// place in the tree and nothing else; what has no `id` is passed over.
pub type Entry = Raw;

/// What was known of the session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionStartResult {
    /// True where the session was known: still open, or read from its snapshot.
    pub restored: bool,
    /// Where the session stands after this call.
    pub status: Status,
    /// How many events of this session have taken effect. See reference.md#order.
    pub seq: i64,
}

/// Where a session stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// "off" in the preset `off` and after `setPruning` false.
    pub mode: Mode,
    /// The preset in force.
    pub preset: Preset,
    /// The band of pressure that the session is in.
    pub zone: Zone,
    /// Tokens used / tokens usable.
    pub pressure: f64,
    /// Tokens of the list, by the provider's count; null until the first `usage`, and after a compaction until the
    /// next.
    pub tokens: Option<i64>,
    /// The model's window in tokens.
    pub context_window: i64,
    /// Weight of the packet in the last list.
    pub packet_tokens: i64,
    /// Summaries heard so far.
    pub summaries: Summaries,
    /// Whether a compaction has been asked for.
    pub latch: LatchStatus,
    /// Totals of the session.
    pub stats: Stats,
    /// The cache epoch in force; 0 before the first.
    pub epoch: i64,
    /// How many pins there are.
    pub pins: i64,
    /// False where the window is so small that the host may compact before ctxmgr can ask.
    pub promise: bool,
    /// The vocabulary that is there, or `estimate`.
    pub weigher: String,
    /// What people should know: a snapshot that was not read, a vocabulary that is not there, an archive that takes
    /// nothing.
    pub notes: Vec<String>,
    /// How many events of this session have taken effect. See reference.md#order.
    pub seq: i64,
    /// What tokens and pressure come from: the provider's last count that could be believed and what came since, or
    /// what the list comes to by the vocabulary or the estimate. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counted_by: Option<CountSource>,
    /// The window in tokens that a refusal as too long taught; null where it is as the host said. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learned_window: Option<i64>,
    /// Tokens of the provider a weighed one, as learnt of this model so far. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// What the provider's cache gave, against what it should have; null until a call could be compared, and where
    /// `usage` does not say what was read. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheStatus>,
    /// The newest event that is safe in the store (`serve --store`), by its `seq`; null where no store is named, or
    /// none is known to be there. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub durable: Option<i64>,
    /// What is taken to hold of the model, and who said it; null in the answer to `turn_end`. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelStatus>,
}

/// Whether lists are projected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mode {
    #[serde(rename = "on")]
    On,
    #[serde(rename = "off")]
    Off,
    #[serde(untagged)]
    Other(String),
}

/// A band of pressure. See reference.md#the-zones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Zone {
    #[serde(rename = "green")]
    Green,
    #[serde(rename = "yellow")]
    Yellow,
    #[serde(rename = "red")]
    Red,
    #[serde(rename = "compact")]
    Compact,
    #[serde(untagged)]
    Other(String),
}

/// How many summaries of each kind the session has heard.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Summaries {
    /// Of compactions.
    pub compaction: i64,
    /// Of branches that were left.
    pub branch: i64,
}

/// The memory that this episode has asked for a compaction already. See reference.md#the-latch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LatchStatus {
    /// Its state.
    pub state: LatchState,
    /// Failures in a row.
    pub failures: i64,
}

/// `idle`: may ask. `asked`: waits for an outcome. `cooldown`: was refused or failed. `resting`: failed too often,
/// waits for calm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LatchState {
    #[serde(rename = "idle")]
    Idle,
    #[serde(rename = "asked")]
    Asked,
    #[serde(rename = "cooldown")]
    Cooldown,
    #[serde(rename = "resting")]
    Resting,
    #[serde(untagged)]
    Other(String),
}

/// Totals of the session. Tokens are ctxmgr's own weights.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Stats {
    /// Lists projected.
    pub contexts: i64,
    /// Lists answered by the fallback, after a fault inside.
    pub fallbacks: i64,
    /// Turns dropped.
    pub turns_dropped: i64,
    /// Tool results distilled.
    pub results_distilled: i64,
    /// Tool results pruned.
    pub results_pruned: i64,
    /// Tokens of tool output that the last pruning looked at.
    pub tokens_scanned: i64,
    /// Tokens pruned.
    pub tokens_pruned: i64,
    /// Tokens that the last pruning left because they are protected.
    pub tokens_protected: i64,
    /// Compactions asked for.
    pub compactions_requested: i64,
}

/// What tokens and pressure come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CountSource {
    #[serde(rename = "usage")]
    Usage,
    #[serde(rename = "vocabulary")]
    Vocabulary,
    #[serde(rename = "estimate")]
    Estimate,
    #[serde(untagged)]
    Other(String),
}

/// What the provider's cache gave. Tokens are the provider's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CacheStatus {
    /// What the newest calls should have read: what each list had in common with the one before, and what stands
    /// before it.
    pub expected: i64,
    /// What the provider says it read at these calls.
    pub read: i64,
    /// How many these are, at most 8: of those that followed the one before while its start was kept.
    pub calls: i64,
    /// How long a start that nobody reads is taken to be kept: by that a cache is cold.
    pub lifetime_ms: i64,
    /// Who says so.
    pub lifetime_from: LifetimeSource,
    /// Where the newest calls persistently read less than half of that: what it may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap: Option<String>,
    /// When the start of the last list ends if no call reads it, in milliseconds since 1970: its `at` and
    /// `lifetimeMs`. Absent where the list had no time, or nothing is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<i64>,
    /// What the first call after that costs; told where `getStatus` asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cold_cost: Option<ColdCost>,
    /// Prompts that changed early without ctxmgr; absent where none did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub busts: Option<CacheBusts>,
}

/// Who says how long a start is kept: `host` and `policy` by `cacheTtlMs`; `learned` from what calls read after
/// pauses; `rule`: what is known of the provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LifetimeSource {
    #[serde(rename = "host")]
    Host,
    #[serde(rename = "policy")]
    Policy,
    #[serde(rename = "learned")]
    Learned,
    #[serde(rename = "rule")]
    Rule,
    #[serde(untagged)]
    Other(String),
}

/// What the first call costs once the provider's cache has ended.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ColdCost {
    /// With the host's own list.
    pub raw: WrittenPrompt,
    /// With the list that ctxmgr would answer.
    pub pruned: WrittenPrompt,
}

/// What a call writes to the provider's cache.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WrittenPrompt {
    /// Tokens of the provider, with what stands before the list.
    pub tokens: i64,
    /// What they cost; null where no price is known.
    pub dollars: Option<f64>,
}

/// All of a session, since it was last read from its snapshot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CacheBusts {
    /// How many calls.
    pub count: i64,
    /// How many by what changed: `tools`, `system`, `messages`.
    pub parts: BTreeMap<String, i64>,
    /// Of all of them.
    pub tokens: i64,
    /// Of all whose price is known; absent where none is.
    pub dollars: Option<f64>,
    /// The newest.
    pub last: CacheBust,
}

/// A prompt changed early, and ctxmgr did not change it: what stands behind that was written again, though the
/// provider's cache held it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CacheBust {
    /// What of the prompt: tool definitions, system prompt, or the list.
    pub part: PromptPart,
    /// What happened to the tool, the block or the message there.
    pub how: HowChanged,
    /// Which one, from 0.
    pub index: f64,
    /// Of one that changed: so many bytes of its JSON are as before.
    pub offset: f64,
    /// So many, of the provider.
    pub tokens: i64,
    /// By so much it is dearer than to read them; absent where no price is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dollars: Option<f64>,
}

/// A part of a prompt, in the order of its cache.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PromptPart {
    #[serde(rename = "tools")]
    Tools,
    #[serde(rename = "system")]
    System,
    #[serde(rename = "messages")]
    Messages,
    #[serde(untagged)]
    Other(String),
}

/// What happened to a part: `moved` are parts that stand in another order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HowChanged {
    #[serde(rename = "changed")]
    Changed,
    #[serde(rename = "added")]
    Added,
    #[serde(rename = "removed")]
    Removed,
    #[serde(rename = "moved")]
    Moved,
    #[serde(untagged)]
    Other(String),
}

/// What is taken to hold of the session's model, and who said it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelStatus {
    /// Its id, as the host names it.
    pub id: String,
    /// Its window in tokens, or less where a refusal taught that.
    pub context_window: i64,
    /// Its longest answer in tokens; null: not known.
    pub max_output_tokens: Option<i64>,
    /// Who said how long an answer may be.
    pub output_by: SaidBy,
    /// What its tokens cost: first above 0 tokens, then longer requests. Empty: not known.
    pub prices: Vec<TierPrices>,
    /// Who said the prices.
    pub prices_by: SaidBy,
    /// How its provider caches prompts.
    pub cache: ProviderCache,
    /// Who said how the provider caches.
    pub cache_by: SaidBy,
    /// Who said how long a start lives; what calls taught is in `cache` of the status.
    pub lifetime_by: SaidBy,
    /// The row that what is known of it comes from; "": none.
    pub like: String,
    /// How that was found, in words.
    pub why: String,
    /// Where its facts were read; "" where none are known.
    pub source: String,
    /// On which day.
    pub date: String,
}

/// Who said it: the host, the policy, what is known of this model, what is known of one like it, or nobody.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SaidBy {
    #[serde(rename = "host")]
    Host,
    #[serde(rename = "policy")]
    Policy,
    #[serde(rename = "registry")]
    Registry,
    #[serde(rename = "family")]
    Family,
    #[serde(rename = "default")]
    Default,
    #[serde(untagged)]
    Other(String),
}

/// Dollars per million tokens of a request that is longer than the tier's bound, of all of it; null: not told.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TierPrices {
    /// The bound: tokens of input.
    pub above_tokens: i64,
    /// Input that no cache held.
    pub input: Option<f64>,
    /// Output.
    pub output: Option<f64>,
    /// Input read from a cache.
    pub cache_read: Option<f64>,
    /// Input written to a cache.
    pub cache_write: Option<f64>,
}

/// How the provider caches prompts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProviderCache {
    /// What of a request is kept.
    pub kind: CacheKind,
    /// Marks that one request may set.
    pub most_marks: i64,
    /// A kept start is found no more content blocks before a mark; 0: however far.
    pub look_back_blocks: i64,
    /// A shorter start is not kept.
    pub least_tokens: i64,
    /// What is read is a multiple of these.
    pub step_tokens: i64,
    /// How long a start lives that nobody reads, in milliseconds.
    pub lifetime_ms: i64,
    /// Does each read begin that time anew?
    pub renews: bool,
}

/// `marks`: a start is kept up to each mark that a request sets; `implicit`: any is; `none`: nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CacheKind {
    #[serde(rename = "marks")]
    Marks,
    #[serde(rename = "implicit")]
    Implicit,
    #[serde(rename = "none")]
    None,
    #[serde(untagged)]
    Other(String),
}

/// The model of the session from now on.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelSelectParams {
    /// The session, by the id that `session_start` gave it. Any string.
    pub session_id: String,
    /// The new model.
    pub model: Model,
}

/// Where the session stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusResult {
    /// Where the session stands after this call.
    pub status: Status,
    /// How many events of this session have taken effect. See reference.md#order.
    pub seq: i64,
}

/// The list as the host would send it to the model: either all of it (`messages`) or what came since the last call
/// (`append`), never both.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextParams {
    /// The session, by the id that `session_start` gave it. Any string.
    pub session_id: String,
    /// The whole list, oldest message first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages: Option<Vec<Message>>,
    /// What came since the last call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub append: Option<Append>,
    /// The host's time, in milliseconds since the epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<f64>,
    /// Tokens of system prompt and tool definitions, which are not in the list. Kept until another number comes;
    /// used until the first `usage` is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overhead_tokens: Option<f64>,
    /// "messages": always the whole list. "edits": what is kept and what is put in. Absent: the whole list, or
    /// `unchanged`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<AnswerForm>,
    /// Cache marks that the request bears outside of the list: on system prompt and tools. 2 where absent. The
    /// report's `cacheBreakpoints` are as many as are free beside them. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_marks: Option<f64>,
    /// What of tools and system prompt, which are not in the list, differs from the call before. Absent: nothing,
    /// or the host does not say. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix_change: Option<PrefixChange>,
}

/// One message, the host's own object in the format that `initialize` named. It goes through as it came: members,
/// blocks and roles that ctxmgr does not know stay where they are.
pub type Message = Raw;

/// What came since the last `context`. Where `after` or `base` is not what ctxmgr has, the answer is error -32801:
/// send the whole list.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Append {
    /// How many messages were sent before.
    pub after: f64,
    /// The `base` of the last answer.
    pub base: String,
    /// What came since.
    pub messages: Vec<Message>,
}

/// How `context` gives the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AnswerForm {
    #[serde(rename = "messages")]
    Messages,
    #[serde(rename = "edits")]
    Edits,
    #[serde(untagged)]
    Other(String),
}

/// Where a prompt first differs from that of the call before, and how. It has no text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PrefixChange {
    /// What of the prompt: tool definitions, system prompt, or the list.
    pub part: PromptPart,
    /// What happened to the tool, the block or the message there.
    pub how: HowChanged,
    /// Which one, from 0.
    pub index: f64,
    /// Of one that changed: so many bytes of its JSON are as before.
    pub offset: f64,
}

/// The list to send to the model. Exactly one of `messages`, `edits` and `unchanged` is there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextResult {
    /// A tag of this state of the list, for the next call's `append`. "" after a fault: the next call sends the
    /// whole list.
    pub base: String,
    /// What was done, and why.
    pub report: Report,
    /// How many events of this session have taken effect. See reference.md#order.
    pub seq: i64,
    /// The list to send. What is kept of the host's messages is byte for byte as it came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages: Option<Vec<Message>>,
    /// The list to send, in pieces, in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edits: Option<Vec<Edit>>,
    /// True: the host sends its own list as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unchanged: Option<bool>,
}

/// What a projection did. Weights are ctxmgr's own count, before the provider's usage corrects it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Weight of the list as it came.
    pub raw_tokens: i64,
    /// Weight of the list to send.
    pub tokens: i64,
    /// The zone that decided.
    pub zone: Zone,
    /// The number of the cache epoch in force; 0 where none was opened.
    pub epoch: i64,
    /// The first place where this answer differs from the one before: up to there a provider's cache holds. -1
    /// where the answer only grew at its end, whatever marks caching and however it is spelled; 0 where another
    /// list is the first after a restart.
    pub first_changed_index: i64,
    /// Turns in the list to send.
    pub turns_kept: i64,
    /// Turns left out of it.
    pub turns_dropped: i64,
    /// Tool results shortened in it.
    pub results_distilled: i64,
    /// Tool results replaced by a marker in it.
    pub results_pruned: i64,
    /// Weight of the packet, 0 without one.
    pub packet_tokens: i64,
    /// Promises that did not hold; then the answer is the last good list. `fit`: the list is as short as it can be
    /// made, and does not fit the window; `tooBig` says why. Normally empty.
    pub checks: Vec<String>,
    /// Where cache marks belong on the list to send, where its provider takes marks: on the last content block that
    /// can bear one of the messages at these places, ascending, the newest message's as a rule. No other message of
    /// the list should have one. Empty where the provider caches without marks, where `ownMarks` leave none free,
    /// and after a fault: then a host sets its marks as it is used to. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_breakpoints: Option<Vec<i64>>,
    /// Messages left out by themselves, not with their turn: in preset balanced, and in others where the list did
    /// not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages_dropped: Option<i64>,
    /// Results, texts and arguments cut in it: too long, or the list did not fit. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocks_cut: Option<i64>,
    /// With `fit` in `checks`: the heaviest messages, the heaviest first. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub too_big: Option<Vec<TooBig>>,
    /// So much of the last answer, by weight, this one begins with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix_tokens: Option<i64>,
    /// The same in bytes of its messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix_bytes: Option<i64>,
    /// Of the epoch that this call opened: what it cost and what it saves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arithmetic: Option<String>,
    /// Files whose text, or some of it, left the model's view with this answer: a host that remembers what its
    /// model has read may forget it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reads_gone: Option<Vec<ReadGone>>,
    /// Why the answer is `unchanged`, or is the last good list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Unpaired surrogates in the request that became U+FFFD.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mended: Option<i64>,
    /// By so much the list is heavier than the host's: the packet carries what the host itself took away, and the
    /// scratchpad. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub carried_tokens: Option<i64>,
    /// The prompt changed early, and ctxmgr did not change it. Absent: it did not. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_bust: Option<CacheBust>,
}

/// A message of a list that does not fit the window, whatever is cut.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TooBig {
    /// What it is: user, assistant, result, prompt, ...
    pub kind: String,
    /// Its place in the host's list.
    pub index: i64,
    /// Its weight as it is sent.
    pub tokens: i64,
}

/// A file whose text left the model's view.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadGone {
    /// As the call named it.
    pub path: String,
}

/// One piece of the list to send: a run of the host's own messages, or a message to put in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Edit {
    Keep([u64; 2]),
    Put(Message),
}

/// Messages of the host that stay as they are.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KeepEdit {
    /// `[from, to]`: indices into the whole list, its appended part included; `to` is not included.
    pub keep: [u64; 2],
}

/// A message that takes the place of others, or comes in addition.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PutEdit {
    /// The message, in the host's format.
    pub put: Message,
}

/// What the model answered and what its tools gave. The message belongs into the next list too.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnEndParams {
    /// The session, by the id that `session_start` gave it. Any string.
    pub session_id: String,
    /// The model's message.
    pub message: Message,
    /// The results of its tool calls, in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_results: Option<Vec<Message>>,
    /// What the provider counted for this call; without it the message's own `usage` is read. It corrects the
    /// weights. A host that reports none is asked for a compaction by the estimate of its list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<UsageParams>,
    /// The host's time, in milliseconds since the epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<f64>,
    /// The entries that message and results became in the session tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry_ids: Option<EntryIds>,
}

/// Tokens as the provider counted them: in these words, or the object of the provider or framework as it came
/// (members in snake_case: Anthropic's, OpenAI's; those that end in `TokenCount`: Gemini's; of DeepSeek, Kimi,
/// Mistral, Bedrock, Ollama, llama.cpp, LangChain, pydantic-ai, the AI SDK and OpenCode their own).
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UsageParams {
    /// Input that no cache held.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<f64>,
    /// Output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<f64>,
    /// Input read from a cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<f64>,
    /// Input written to a cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<f64>,
    /// All of them; goes before the sum of the four.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_tokens: Option<f64>,
    /// All of them, for a host that knows nothing else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<f64>,
    /// Anthropic: input that no cache held. OpenAI responses: all input.
    #[serde(rename = "input_tokens")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<f64>,
    /// Anthropic, OpenAI responses: output.
    #[serde(rename = "output_tokens")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<f64>,
    /// Anthropic: input read from a cache.
    #[serde(rename = "cache_read_input_tokens")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_read_input_tokens: Option<f64>,
    /// Anthropic: input written to a cache.
    #[serde(rename = "cache_creation_input_tokens")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_creation_input_tokens: Option<f64>,
    /// OpenAI chat completions: all input.
    #[serde(rename = "prompt_tokens")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_tokens: Option<f64>,
    /// OpenAI chat completions: output.
    #[serde(rename = "completion_tokens")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completion_tokens: Option<f64>,
    /// OpenAI: all of them.
    #[serde(rename = "total_tokens")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_tokens_: Option<f64>,
    /// OpenAI responses: how much of the input a cache held.
    #[serde(rename = "input_tokens_details")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens_details: Option<CachedTokens>,
    /// OpenAI chat completions: how much of the input a cache held.
    #[serde(rename = "prompt_tokens_details")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_tokens_details: Option<CachedTokens>,
    /// Gemini: all input but what its tools gave. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_token_count: Option<f64>,
    /// Gemini: input that its own tools gave. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_use_prompt_token_count: Option<f64>,
    /// Gemini: how much of the input a cache held. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_content_token_count: Option<f64>,
    /// Gemini: output without thoughts. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidates_token_count: Option<f64>,
    /// Gemini: thoughts. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thoughts_token_count: Option<f64>,
    /// Gemini: all of them. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_token_count: Option<f64>,
}

/// Of OpenAI's counts: how much of the input a cache held.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CachedTokens {
    /// Input read from a cache.
    #[serde(rename = "cached_tokens")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_tokens: Option<f64>,
}

/// Ids of the entries that were written.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EntryIds {
    /// Of the model's message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Of the results, in their order; null where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_results: Option<Vec<Option<String>>>,
    /// Of the newest user message of the list that was answered; of the newest ones, oldest first, where several
    /// came since the last `turn_end`. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<EntryIdsUser>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum EntryIdsUser {
    String(String),
    VecOptionString(Vec<Option<String>>),
}

impl From<String> for EntryIdsUser {
    fn from(it: String) -> Self {
        Self::String(it)
    }
}

impl From<Vec<Option<String>>> for EntryIdsUser {
    fn from(it: Vec<Option<String>>) -> Self {
        Self::VecOptionString(it)
    }
}

/// What is to be done now, and where the session stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnEndResult {
    /// What the host is asked to do. Empty most of the time.
    pub commands: Vec<Command>,
    /// Where the session stands after this call.
    pub status: Status,
    /// How many events of this session have taken effect. See reference.md#order.
    pub seq: i64,
    /// Where the provider refused the list as too long: what to send next. `session_compact`: when the compaction
    /// that `commands` ask for is made. `context`: the list without the reply that failed, where none can be asked
    /// for. Absent else. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub send: Option<AfterOverflow>,
}

/// Something the host is asked to do. It is what ctxmgr would send as a request, without an id: the host does not
/// answer it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Command {
    /// The method.
    pub method: String,
    /// Its params.
    pub params: RequestCompactionParams,
}

/// Why a compaction is due.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestCompactionParams {
    /// The session, by the id that `session_start` gave it. Any string.
    pub session_id: String,
    /// "threshold": the list has reached the red zone. "overflow": the provider refused it as too long.
    pub reason: CompactionReason,
    /// The zone.
    pub zone: Zone,
    /// Tokens of the list, null while unknown.
    pub tokens: Option<i64>,
    /// Where the red zone begins, in tokens.
    pub threshold: i64,
    /// The model's window in tokens.
    pub context_window: i64,
    /// "whenIdle": when the agent has nothing to do. "now": only where "midRun" was declared.
    pub deliver: Delivery,
    /// What the policy asks of every summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custom_instructions: Option<String>,
    /// A finished compaction that was written ahead: apply it as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compaction: Option<Compaction>,
}

/// Why a compaction is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CompactionReason {
    #[serde(rename = "threshold")]
    Threshold,
    #[serde(rename = "overflow")]
    Overflow,
    #[serde(untagged)]
    Other(String),
}

/// When a compaction is to be made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Delivery {
    #[serde(rename = "now")]
    Now,
    #[serde(rename = "whenIdle")]
    WhenIdle,
    #[serde(untagged)]
    Other(String),
}

/// A finished compaction.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Compaction {
    /// The summary.
    pub summary: String,
    /// The first entry that stays in the list.
    pub first_kept_entry_id: String,
    /// Tokens of the list before.
    pub tokens_before: i64,
    /// Files, and how the summary was made. Keep them with the entry: later compactions read them.
    pub details: SummaryDetails,
}

/// Files, and how a summary was made.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SummaryDetails {
    /// Files that were read and not changed.
    pub read_files: Vec<String>,
    /// Files that were written or edited.
    pub modified_files: Vec<String>,
    /// How it was made, for people: strategy, calls, tokens spent, what went wrong.
    pub ctxmgr: Raw,
}

/// What to send after an overflow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AfterOverflow {
    #[serde(rename = "session_compact")]
    SessionCompact,
    #[serde(rename = "context")]
    Context,
    #[serde(untagged)]
    Other(String),
}

/// The compaction that the host is about to make.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BeforeCompactParams {
    /// The session, by the id that `session_start` gave it. Any string.
    pub session_id: String,
    /// The host's own plan.
    pub preparation: HostPreparation,
    /// The whole session tree: with it ctxmgr plans by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch_entries: Option<Vec<Entry>>,
    /// The entry the branch ends at; absent, the last of `entries`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaf_id: Option<String>,
    /// What the user asks of the summary, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custom_instructions: Option<String>,
    /// Why the host compacts: its own word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Milliseconds from now until the answer has to be there; absent, the policy's `deadlineMs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<f64>,
    /// Any token of the host: with one, `$/progress` tells how far the call is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress_token: Option<ProgressToken>,
    /// The host's time, in milliseconds since the epoch: whether the provider still has the last request in its
    /// cache. Absent: as of the newest message. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<f64>,
}

/// A compaction as the host has prepared it, in pi's names. What is not listed is passed over.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HostPreparation {
    /// The first entry that stays in the list.
    pub first_kept_entry_id: String,
    /// What the summary is to stand for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages_to_summarize: Option<Vec<Message>>,
    /// Of a turn that is cut in two, the part before the cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_prefix_messages: Option<Vec<Message>>,
    /// The cut is inside a turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_split_turn: Option<bool>,
    /// Tokens of the list now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_before: Option<f64>,
    /// The summary of the compaction before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_summary: Option<String>,
    /// `{read, written, edited}`: lists of paths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_ops: Option<Raw>,
    /// The host's own settings, as far as they count here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings: Option<GivenSettings>,
}

/// A host's own settings of a compaction. What is no number counts as absent.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GivenSettings {
    /// Tokens kept free for the reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reserve_tokens: Option<Raw>,
    /// Tokens of the newest messages that stay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_recent_tokens: Option<Raw>,
}

/// A token of the host's choice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ProgressToken {
    String(String),
    I64(i64),
}

impl From<String> for ProgressToken {
    fn from(it: String) -> Self {
        Self::String(it)
    }
}

impl From<i64> for ProgressToken {
    fn from(it: i64) -> Self {
        Self::I64(it)
    }
}

/// `{}`: the host goes on by itself. Else one of the two is there.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BeforeCompactResult {
    /// True: another compaction of this branch is being written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancel: Option<bool>,
    /// The compaction to apply in the place of the host's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compaction: Option<Compaction>,
}

/// The compaction that the host has made, whoever wrote its summary.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionCompactParams {
    /// The session, by the id that `session_start` gave it. Any string.
    pub session_id: String,
    /// The entry that the host wrote.
    pub compaction_entry: CompactionEntry,
    /// True where its summary was not the host's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_extension: Option<bool>,
}

/// A compaction entry of the host's session tree.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompactionEntry {
    /// The summary.
    pub summary: String,
    /// Its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The entry before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<String>,
    /// The first entry that stays in the list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_kept_entry_id: Option<String>,
    /// Tokens of the list before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_before: Option<f64>,
    /// When it was written: milliseconds since the epoch, or an ISO 8601 string.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<CompactionEntryTimestamp>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum CompactionEntryTimestamp {
    F64(f64),
    String(String),
}

impl From<f64> for CompactionEntryTimestamp {
    fn from(it: f64) -> Self {
        Self::F64(it)
    }
}

impl From<String> for CompactionEntryTimestamp {
    fn from(it: String) -> Self {
        Self::String(it)
    }
}

/// Why the host's compaction came to nothing.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompactFailedParams {
    /// The session, by the id that `session_start` gave it. Any string.
    pub session_id: String,
    /// Why it was made: the host's own word.
    pub reason: String,
    /// What went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
}

/// The move that the host is about to make.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BeforeTreeParams {
    /// The session, by the id that `session_start` gave it. Any string.
    pub session_id: String,
    /// The host's own plan of it.
    pub preparation: TreePreparation,
    /// Milliseconds from now until the answer has to be there; absent, the policy's `deadlineMs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<f64>,
    /// Any token of the host: with one, `$/progress` tells how far the call is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress_token: Option<ProgressToken>,
}

/// A move in the session tree as the host has prepared it, in pi's names.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TreePreparation {
    /// The entries that are left, oldest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries_to_summarize: Option<Vec<Entry>>,
    /// The entry the host goes to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_id: Option<String>,
    /// The entry it leaves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_leaf_id: Option<String>,
    /// Where the two paths meet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub common_ancestor_id: Option<String>,
    /// Without true no summary is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_wants_summary: Option<bool>,
    /// What the user asks of the summary, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custom_instructions: Option<String>,
    /// True: `customInstructions` take the place of the prompt's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replace_instructions: Option<bool>,
}

/// `{}`: the host goes on by itself.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BeforeTreeResult {
    /// Not used yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancel: Option<bool>,
    /// The summary of what is left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<BranchSummary>,
}

/// A finished branch summary.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BranchSummary {
    /// The summary.
    pub summary: String,
    /// Files, and how the summary was made. Keep them with the entry.
    pub details: SummaryDetails,
}

/// Where the host has moved to in its session tree.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionTreeParams {
    /// The session, by the id that `session_start` gave it. Any string.
    pub session_id: String,
    /// The entry it stands at now; null before the first one.
    pub new_leaf_id: Option<String>,
    /// The entry it stood at before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_leaf_id: Option<String>,
    /// The summary of the branch that was left, where one was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary_entry: Option<SummaryEntry>,
    /// The session tree: with it, facts come back at once; without, as messages do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<Vec<Entry>>,
}

/// A branch summary entry of the host's session tree.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SummaryEntry {
    /// The summary.
    pub summary: String,
    /// Its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The entry before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<String>,
    /// The leaf of the branch it stands for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_id: Option<String>,
    /// When it was written: milliseconds since the epoch, or an ISO 8601 string.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<SummaryEntryTimestamp>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SummaryEntryTimestamp {
    F64(f64),
    String(String),
}

impl From<f64> for SummaryEntryTimestamp {
    fn from(it: f64) -> Self {
        Self::F64(it)
    }
}

impl From<String> for SummaryEntryTimestamp {
    fn from(it: String) -> Self {
        Self::String(it)
    }
}

/// The session, and nothing else.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionParams {
    /// The session, by the id that `session_start` gave it. Any string.
    pub session_id: String,
}

/// Whose status.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GetStatusParams {
    /// The session, by the id that `session_start` gave it. Any string.
    pub session_id: String,
    /// True: answered when what was saved so far is in the store, or cannot be had there now (`durable` tells).
    /// Without a store, at once. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flush: Option<bool>,
    /// True: `cache.coldCost` is worked out, which takes as long as an epoch of the list. Ask while the session
    /// rests; nothing changes. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cold_cost: Option<bool>,
}

/// Whether lists are projected.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SetPruningParams {
    /// The session, by the id that `session_start` gave it. Any string.
    pub session_id: String,
    /// False: lists go as they came. Ledger and snapshot go on.
    pub enabled: bool,
}

/// What pruning of tool output has done. Tokens are ctxmgr's own weights.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PruneStats {
    /// Pruning is on.
    pub enabled: bool,
    /// Tokens that the last pass looked at.
    pub scanned: i64,
    /// Tokens pruned so far.
    pub pruned: i64,
    /// Tokens that the last pass left because they are protected.
    pub protected: i64,
    /// Tokens that the last pass could have pruned.
    pub prunable: i64,
    /// Results pruned so far.
    pub results_pruned: i64,
    /// Tokens pruned so far.
    pub tokens_pruned: i64,
    /// Results distilled so far.
    pub results_distilled: i64,
    /// Turns dropped so far.
    pub turns_dropped: i64,
    /// How many events of this session have taken effect. See reference.md#order.
    pub seq: i64,
}

/// The policy in force, and what it comes to for the session's model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyResult {
    /// All keys with their values, those of the session's model put in.
    pub policy: Policy,
    /// The policy in tokens.
    pub thresholds: Thresholds,
    /// How many events of this session have taken effect. See reference.md#order.
    pub seq: i64,
    /// Keys that mean something in some presets alone, and in which; all others do in each. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presets: Option<BTreeMap<String, Vec<String>>>,
}

/// Tokens by the provider's count. A zone begins at its threshold.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Thresholds {
    /// The window less the reserve: what pressure is a share of.
    pub usable: f64,
    /// Where yellow begins.
    pub yellow: f64,
    /// Where red begins: from here a compaction is asked for.
    pub red: f64,
    /// Where compact begins.
    pub compact: f64,
    /// The largest list that leaves room for a reply.
    pub limit: f64,
}

/// Keys to set for this session.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SetPolicyParams {
    /// The session, by the id that `session_start` gave it. Any string.
    pub session_id: String,
    /// The keys to set; others stay as they are, null takes one back to its default.
    pub policy: PolicyKeys,
}

/// The facts that hold now.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LedgerResult {
    /// In the order they came.
    pub facts: Vec<LedgerFact>,
    /// How many events of this session have taken effect. See reference.md#order.
    pub seq: i64,
}

/// One statement with its source and time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LedgerFact {
    /// Its kind: goal, current, constraint, decision, task, context; request: what the user said; said: how an
    /// assistant's turn ended; question: what the user answered a tool, or would not have; command: a check that
    /// ran; value: a commit; file.
    pub slot: FactSlot,
    /// The statement.
    pub text: String,
    /// Who made it: user, assistant, tool, summary or branch.
    pub source: FactSource,
    /// Of a task: open, active, done, blocked. Of a file: read, written, edited, deleted. Of a command: ok, failed,
    /// or unknown where nothing tells how it ended. Of a question: rejected, where its text is a call or a plan
    /// that the user would not have. Of a commit: the directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// The host's time, in milliseconds since the epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<i64>,
    /// Of a command, what its output counted or the line of its error; of a question, the answer; of a file, the
    /// tool that changed it; of a summary, the heading it stood under.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The entry it came from, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry_id: Option<String>,
}

/// What a fact is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FactSlot {
    #[serde(rename = "goal")]
    Goal,
    #[serde(rename = "constraint")]
    Constraint,
    #[serde(rename = "decision")]
    Decision,
    #[serde(rename = "finding")]
    Finding,
    #[serde(rename = "question")]
    Question,
    #[serde(rename = "next")]
    Next,
    #[serde(rename = "task")]
    Task,
    #[serde(rename = "current")]
    Current,
    #[serde(rename = "file")]
    File,
    #[serde(rename = "command")]
    Command,
    #[serde(rename = "context")]
    Context,
    #[serde(rename = "request")]
    Request,
    #[serde(rename = "listing")]
    Listing,
    #[serde(rename = "value")]
    Value,
    #[serde(rename = "said")]
    Said,
    #[serde(untagged)]
    Other(String),
}

/// Who said it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FactSource {
    #[serde(rename = "summary")]
    Summary,
    #[serde(rename = "branch")]
    Branch,
    #[serde(rename = "user")]
    User,
    #[serde(rename = "assistant")]
    Assistant,
    #[serde(rename = "tool")]
    Tool,
    #[serde(untagged)]
    Other(String),
}

/// The summaries that were heard. The newest three of the branch are kept whole.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SummariesResult {
    /// Oldest first.
    pub summaries: Vec<HeardSummary>,
    /// How many events of this session have taken effect. See reference.md#order.
    pub seq: i64,
}

/// A summary that the session heard, by an event or in a list.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HeardSummary {
    /// What it stands for: compaction or branch.
    pub kind: String,
    /// When it was heard, in milliseconds since the epoch.
    pub at: i64,
    /// Its entry, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry_id: Option<String>,
    /// As it came; absent where it is no longer kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Which packet.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GetPacketParams {
    /// The session, by the id that `session_start` gave it. Any string.
    pub session_id: String,
    /// True: the longer one, which comes once after a compaction or a move in the tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resume: Option<bool>,
}

/// The packet as it would be now, whether or not the next list needs one.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PacketResult {
    /// Its text.
    pub text: String,
    /// Its weight.
    pub tokens: i64,
    /// How many events of this session have taken effect. See reference.md#order.
    pub seq: i64,
}

/// The session, and an epoch.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExplainParams {
    /// The session, by the id that `session_start` gave it. Any string.
    pub session_id: String,
    /// Whose receipt is wanted in full; the newest where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epoch: Option<i64>,
}

/// What became of each message of the last list.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExplainResult {
    /// In the order of the list; what was put in comes first.
    pub verdicts: Vec<Verdict>,
    /// The receipts that are kept, oldest first.
    pub epochs: Vec<EpochReceipt>,
    /// How many events of this session have taken effect. See reference.md#order.
    pub seq: i64,
    /// All pins of the session, oldest first. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pins: Option<Vec<HeldPin>>,
}

/// What became of one message. Weights are ctxmgr's own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    /// Its place in the host's list; null for what ctxmgr put in.
    pub index: Option<i64>,
    /// A digest of the message, the same wherever it stands.
    pub digest: String,
    /// What became of it.
    pub verdict: VerdictKind,
    /// Why.
    pub rule: String,
    /// Its weight as it came.
    pub before: i64,
    /// Its weight in the list to send.
    pub after: i64,
    /// Its first call or result as the tool and its telling arguments, or what the message is, such as `user text`;
    /// secrets read `[masked]`. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
}

/// What became of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum VerdictKind {
    #[serde(rename = "kept")]
    Kept,
    #[serde(rename = "distilled")]
    Distilled,
    #[serde(rename = "pruned")]
    Pruned,
    #[serde(rename = "cut")]
    Cut,
    #[serde(rename = "dropped")]
    Dropped,
    #[serde(rename = "inserted")]
    Inserted,
    #[serde(untagged)]
    Other(String),
}

/// What one epoch did, and the arithmetic of it.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EpochReceipt {
    /// Its number.
    pub epoch: i64,
    /// Why it was opened: price, cold, red, forced, compaction, tree, model, policy, pin, undo, rewritten.
    pub opening: String,
    /// Weight of the list to send as it would have been without it.
    pub before: i64,
    /// Weight of the list to send with it.
    pub after: i64,
    /// What it cost and what it saves, in one line.
    pub arithmetic: String,
    /// How many things left.
    pub count: i64,
    /// The call's time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<i64>,
    /// What left, in the order of the list; told of one epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<Vec<Left>>,
    /// So many more left that are not listed: the lightest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub omitted: Option<i64>,
    /// What it did, for people: "removed 12 old results, 17,000 tokens; pays after 3 calls". Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The number of calls after which it has saved what it cost; 0: at once. Absent where it saves nothing, or
    /// where this is not known. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pays_after: Option<i64>,
}

/// One thing that left.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Left {
    /// What was done to it; `shortened` are the arguments of a call.
    pub kind: LeftKind,
    /// The tool and its telling arguments, or what the message was; secrets read `[masked]`.
    pub call: String,
    /// The rule that decided.
    pub why: String,
    /// Its weight as it came.
    pub before: i64,
    /// Its weight now.
    pub after: i64,
    /// The message's, to pin it by.
    pub digest: String,
    /// What `retrieve` finds it by; null without an archive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
}

/// What was done to something at an epoch; `shortened` are the arguments of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LeftKind {
    #[serde(rename = "dropped")]
    Dropped,
    #[serde(rename = "pruned")]
    Pruned,
    #[serde(rename = "distilled")]
    Distilled,
    #[serde(rename = "shortened")]
    Shortened,
    #[serde(rename = "cut")]
    Cut,
    #[serde(untagged)]
    Other(String),
}

/// A pin, and what it holds. `unpin` takes `{by: value}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HeldPin {
    /// What it was made by.
    pub by: PinBy,
    /// The digest, call id, path or tool.
    pub value: String,
    /// The number of messages of the last list that it holds.
    pub messages: i64,
    /// As in a verdict, of the message that is pinned by digest or by call id; null elsewhere.
    pub call: Option<String>,
}

/// What a pin names: a tool call by its id, a message by its digest, a file's path, or a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PinBy {
    #[serde(rename = "callId")]
    CallId,
    #[serde(rename = "digest")]
    Digest,
    #[serde(rename = "path")]
    Path,
    #[serde(rename = "tool")]
    Tool,
    #[serde(untagged)]
    Other(String),
}

/// What the model asks for again. Refused (-32803) where `capabilities.retrieve` was not declared. An unknown
/// handle is refused (-32602), with the call to make again in `data.call` where a receipt knows it.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RetrieveParams {
    /// The session, by the id that `session_start` gave it. Any string.
    pub session_id: String,
    /// The handle in the marker.
    pub handle: String,
    /// The first character of the page; absent, 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<f64>,
    /// Characters of the page at most; absent, 20,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<f64>,
}

/// One page of the original. Characters are Unicode code points, of the original: a page with a masked secret may
/// have more or fewer. The result that brings it to the model is not pruned for two epochs: it is known by the
/// handle in the arguments of its call.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RetrieveResult {
    /// The page.
    pub text: String,
    /// Its first character; at the end where the one asked for is beyond.
    pub offset: i64,
    /// The `offset` of the next page; null after the last. (A length that a program counts in UTF-16 units, as
    /// JavaScript does, would lead beyond it.)
    pub next: Option<i64>,
    /// Characters of the whole.
    pub total: i64,
    /// True: there is another page.
    pub more: bool,
    /// The tool and its telling arguments, or what the message was.
    pub call: String,
    /// How many events of this session have taken effect. See reference.md#order.
    pub seq: i64,
    /// True: this page reads `[masked]` where the original had a secret of a known shape; it was not kept (the
    /// policy's `archive.keepSecrets`). Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub masked: Option<bool>,
}

/// What is looked for among what left of this session. Refused (-32803) where nothing is archived.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchParams {
    /// The session, by the id that `session_start` gave it. Any string.
    pub session_id: String,
    /// Plain words, `"a phrase"`, `path:src/a.py`, `tool:bash`. Phrases, paths and tools have to be there; of the
    /// words one is enough. Identifiers and paths are found whole and by their parts. No text is wrong.
    pub query: String,
    /// Hits at most, of 50; absent, 10.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<f64>,
}

/// What was found. It changes nothing: what only shows here was not brought back.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchResult {
    /// Best first; empty where nothing holds the words.
    pub hits: Vec<SearchHit>,
    /// How many events of this session have taken effect. See reference.md#order.
    pub seq: i64,
}

/// One original that was found. Secrets of known shapes are found by no query, and read `[masked]` here.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchHit {
    /// What `retrieve` finds the original by.
    pub handle: String,
    /// 1 is the best. Of equals the order is by handle.
    pub rank: i64,
    /// The tool and its telling arguments, or what the message was.
    pub call: String,
    /// The tool; null of a message.
    pub tool: Option<String>,
    /// The first of the arguments that is a path; null without one.
    pub path: Option<String>,
    /// At which it left; null where no receipt that is kept lists it.
    pub epoch: Option<i64>,
    /// The stretch that has the most of the words; dots where it is cut.
    pub snippet: String,
    /// The character of the original at which the snippet begins, as `retrieve` takes it.
    pub offset: i64,
    /// Characters of the original.
    pub total: i64,
}

/// What has to stay as it is: exactly one of `callId`, `digest`, `path` and `tool`. Pins outlive compactions and
/// restarts. Where something that left comes back by one, the next `context` opens an epoch.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PinParams {
    /// The session, by the id that `session_start` gave it. Any string.
    pub session_id: String,
    /// A tool call by its id: the message that makes it, and its result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// One message, by the digest that `explain` shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Calls that name this file, with their results. A glob (`*` also over `/`); it may be the end of a path, as
    /// `src/*.py` is of `/home/me/src/a.py`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// All calls of this tool, with their results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
}

/// What left at this epoch comes back with the next `context`, and is pinned. An epoch of which no receipt is kept
/// is refused (-32602).
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UndoParams {
    /// The session, by the id that `session_start` gave it. Any string.
    pub session_id: String,
    /// Its number, as `report.epoch` said it.
    pub epoch: f64,
}

/// What is to be planned on: `entries`, or without them what the session holds.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanCompactionParams {
    /// The session; its policy and its weigher count. May be absent with `entries`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The host's session tree, oldest entry first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<Vec<Entry>>,
    /// The entry the branch ends at; absent, the last of `entries`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaf_id: Option<String>,
    /// Settings for this call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings: Option<CutSettings>,
    /// What the user asks of the summary, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custom_instructions: Option<String>,
    /// The format of the summary that the prompts ask for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<SummaryFormat>,
    /// True: the conversation as text comes with the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub serialize: Option<bool>,
}

/// Settings for one call; what is absent is as the policy says.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CutSettings {
    /// Goes into the answer's `settings`, nothing else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Tokens kept free for the reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reserve_tokens: Option<f64>,
    /// Tokens of the newest messages that stay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_recent_tokens: Option<f64>,
    /// How these tokens are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weigher: Option<Weigher>,
    /// Window of the model that writes the summary, in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_window: Option<f64>,
}

/// What a compaction would summarise and keep.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanCompactionResult {
    /// The plan; null where there is nothing to compact.
    pub preparation: Option<Preparation>,
    /// The model calls that make the summary, in order.
    pub prompts: Vec<Prompt>,
    /// Why there is nothing to compact.
    pub reason: Option<String>,
    /// The conversation as text, where it was asked for.
    pub serialized: Option<Serialized>,
}

/// A compaction before it is written, in pi's names. Messages are as the host holds them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Preparation {
    /// The first entry that stays in the list; "" where no entry has an id: what stays is what follows the messages
    /// listed here.
    pub first_kept_entry_id: String,
    /// What the summary is to stand for.
    pub messages_to_summarize: Vec<Message>,
    /// Of a turn that is cut in two, the part before the cut.
    pub turn_prefix_messages: Vec<Message>,
    /// The cut is inside a turn.
    pub is_split_turn: bool,
    /// Tokens of the list now.
    pub tokens_before: i64,
    /// Files by what was done to them.
    pub file_ops: FileOps,
    /// The settings that were used.
    pub settings: SettingsUsed,
    /// The summary of the compaction before, which this one carries on.
    pub previous_summary: Option<String>,
}

/// Paths by what was done to them, over all earlier compactions.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileOps {
    /// Read.
    pub read: Vec<String>,
    /// Written.
    pub written: Vec<String>,
    /// Edited.
    pub edited: Vec<String>,
}

/// The settings a plan was made with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SettingsUsed {
    /// As the call or the policy says.
    pub enabled: bool,
    /// Tokens kept free for the reply.
    pub reserve_tokens: i64,
    /// Tokens of the newest messages that stay.
    pub keep_recent_tokens: i64,
    /// How these tokens were counted.
    pub weigher: Weigher,
}

/// One model call: one user message under a system prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Prompt {
    /// What it is for.
    pub purpose: Purpose,
    /// The system prompt.
    pub system: String,
    /// The user message.
    pub prompt: String,
    /// The longest answer in tokens.
    pub max_tokens: i64,
}

/// What a model call is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Purpose {
    #[serde(rename = "history")]
    History,
    #[serde(rename = "turn-prefix")]
    TurnPrefix,
    #[serde(rename = "slice")]
    Slice,
    #[serde(rename = "merge")]
    Merge,
    #[serde(rename = "branch")]
    Branch,
    #[serde(rename = "short")]
    Short,
    #[serde(untagged)]
    Other(String),
}

/// Messages as text that a model does not take for a conversation to go on with; tool results are cut to 2,000
/// characters. As pi writes it.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Serialized {
    /// What comes before the turn that is cut.
    pub history: String,
    /// That turn's part before the cut.
    pub turn_prefix: String,
}

/// As for `planCompaction`, and how the summary is to be made.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompactParams {
    /// The session; its policy and its weigher count. May be absent with `entries`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The host's session tree, oldest entry first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<Vec<Entry>>,
    /// The entry the branch ends at; absent, the last of `entries`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaf_id: Option<String>,
    /// Settings for this call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings: Option<CutSettings>,
    /// What the user asks of the summary, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custom_instructions: Option<String>,
    /// How the summary is made; absent, as the policy says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strategy: Option<Strategy>,
    /// The format of the summary; absent, as the policy says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<SummaryFormat>,
    /// Milliseconds from now until the answer has to be there; absent, the policy's `deadlineMs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<f64>,
    /// Any token of the host: with one, `$/progress` tells how far the call is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress_token: Option<ProgressToken>,
    /// The host's time, in milliseconds since the epoch: whether the provider still has the last request in its
    /// cache. Absent: as of the newest message. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<f64>,
}

/// A finished compaction. The host applies it and sends `session_compact`.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompactResult {
    /// The compaction.
    pub compaction: Compaction,
}

/// The branch that is left: from `oldLeafId` back to where it meets the path of `targetId`.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SummarizeBranchParams {
    /// The entry the host leaves; null where it left nothing.
    pub old_leaf_id: Option<String>,
    /// The entry it goes to; null before the first one.
    pub target_id: Option<String>,
    /// The host's session tree, oldest entry first; absent, what the session has seen, by the ids that it was told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<Vec<Entry>>,
    /// The session; its policy and its weigher count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Settings for this call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings: Option<CutSettings>,
    /// What the user asks of the summary, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custom_instructions: Option<String>,
    /// True: `customInstructions` take the place of the prompt's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replace_instructions: Option<bool>,
    /// How the summary is made; absent, as the policy says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strategy: Option<Strategy>,
    /// Milliseconds from now until the answer has to be there; absent, the policy's `deadlineMs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<f64>,
    /// Any token of the host: with one, `$/progress` tells how far the call is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress_token: Option<ProgressToken>,
}

/// The summary of what was left.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SummarizeBranchResult {
    /// The summary; null where nothing was left.
    pub summary: Option<BranchSummary>,
    /// Where the two paths meet; null where they do not.
    pub common_ancestor_id: Option<String>,
    /// How many entries were left.
    pub entries_summarized: i64,
}

/// The model's own notes.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ScratchpadResult {
    /// The text.
    pub text: String,
    /// Its weight.
    pub tokens: i64,
    /// How many events of this session have taken effect. See reference.md#order.
    pub seq: i64,
}

/// Edits of the model's own notes.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EditScratchpadParams {
    /// The session, by the id that `session_start` gave it. Any string.
    pub session_id: String,
    /// Applied in order, all or none.
    pub operations: Vec<ScratchpadOperation>,
}

/// One edit, told apart by `op`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op")]
pub enum ScratchpadOperation {
    #[serde(rename = "str_replace")]
    StrReplace(StrReplace),
    #[serde(rename = "insert")]
    Insert(Insert),
    #[serde(rename = "overwrite")]
    Overwrite(Overwrite),
}

/// Replaces one text by another. The old one has to stand there exactly once.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StrReplace {
    /// What is replaced.
    pub old_text: String,
    /// What takes its place.
    pub new_text: String,
}

/// Puts a text in after a line.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Insert {
    /// The text.
    pub text: String,
    /// The line, counted from 1; 0 is before the first, absent is at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<f64>,
}

/// Writes the notes anew.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Overwrite {
    /// The whole text.
    pub text: String,
}

/// Whether the host will compact. Answer at once; do not wait for the compaction.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestCompactionResult {
    /// True: it is queued.
    pub accepted: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// One model call for the host to run: one user message under a system prompt, no tools. Or, where there is an
/// `instruction`, the host's last request once more with that at its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompleteParams {
    /// The session it is for; null where the call that needs it named none.
    pub session_id: Option<String>,
    /// What it is for.
    pub purpose: Purpose,
    /// The system prompt; "" with an `instruction`.
    pub system: String,
    /// The user message; "" with an `instruction`.
    pub prompt: String,
    /// The longest answer in tokens.
    pub max_tokens: i64,
    /// Only where `capabilities.completeOnContext` is declared: one user message, to be appended to the session's
    /// last request and what came since (the reply, its results), with the same system prompt and the same tools.
    /// What the model answers is not to become part of the session. An answer that cannot be used, such as a tool
    /// call, is asked for again with a copy of the conversation in `prompt`. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instruction: Option<String>,
}

/// What the model answered. A failed call may be answered with an error as well.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompleteResult {
    /// The text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// "stop", "length", "toolUse", "error" or "aborted"; the spellings of other interfaces ("end_turn",
    /// "max_tokens", "tool_calls") are known. Only "stop" is taken for an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    /// `{input, output, cacheRead, cacheWrite}` in tokens; what has another shape is passed over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Raw>,
    /// What went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
}

/// Texts to turn into vectors, by a model of the host.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EmbedParams {
    /// The session it is for; null where the call that needs it named none.
    pub session_id: Option<String>,
    /// The texts.
    pub texts: Vec<String>,
}

/// The vectors.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EmbedResult {
    /// One vector a text, in their order, all of one length.
    pub vectors: Vec<Vec<f64>>,
}

/// How far a call is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProgressParams {
    /// The `progressToken` of the call.
    pub token: ProgressToken,
    /// How far it is.
    pub value: ProgressValue,
}

/// One step of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProgressValue {
    /// Where in the call it is.
    pub kind: ProgressKind,
    /// What is being done, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// From 0 to 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percentage: Option<i64>,
}

/// Where in a call it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProgressKind {
    #[serde(rename = "begin")]
    Begin,
    #[serde(rename = "report")]
    Report,
    #[serde(rename = "end")]
    End,
    #[serde(untagged)]
    Other(String),
}

/// One thing that happened in a session. Nothing that a user, a model or a tool wrote is in it.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TelemetryEvent {
    /// ctxmgr.list, ctxmgr.epoch, ctxmgr.compaction, ctxmgr.fallback, or, for the usage that a host reported, the
    /// semantic conventions' gen_ai.client.inference.operation.details.
    pub name: String,
    /// By the names of OpenTelemetry's semantic conventions for generative AI (`gen_ai.*`, `error.type`), and of
    /// our own (`ctxmgr.*`). Of what a host sent there are the ids of session and model and the provider's name.
    pub attributes: BTreeMap<String, TelemetryEventAttributesValue>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum TelemetryEventAttributesValue {
    String(String),
    F64(f64),
    Bool(bool),
}

impl From<String> for TelemetryEventAttributesValue {
    fn from(it: String) -> Self {
        Self::String(it)
    }
}

impl From<f64> for TelemetryEventAttributesValue {
    fn from(it: f64) -> Self {
        Self::F64(it)
    }
}

impl From<bool> for TelemetryEventAttributesValue {
    fn from(it: bool) -> Self {
        Self::Bool(it)
    }
}

/// What went wrong. Its message never holds conversation text.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ErrorObject {
    /// See reference.md#errors.
    pub code: i64,
    /// A sentence for people.
    pub message: String,
    /// Where the fault is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<ErrorPlace>,
}

/// Where a fault is, and what to do about it.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ErrorPlace {
    /// JSON path below the params, such as `$.model.contextWindow`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Of `retrieve`: the call that gives the thing again, for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
}

/// What ctxmgr answers.
pub trait Request {
    const NAME: &'static str;
    type Params: Serialize;
    type Answer: serde::de::DeserializeOwned;
}

/// What ctxmgr takes without an answer.
pub trait Notification {
    const NAME: &'static str;
    type Params: Serialize;
}

/// The methods that ctxmgr serves, by name. No values: they choose `Client::request` and `Client::notify`.
pub mod methods {
    use super::*;

    /// The first message: who the host is and what it can do.
    pub struct Initialize;
    impl Request for Initialize {
        const NAME: &'static str = "initialize";
        type Params = InitializeParams;
        type Answer = InitializeResult;
    }

    /// The host has read the answer.
    pub struct Initialized;
    impl Notification for Initialized {
        const NAME: &'static str = "initialized";
        type Params = NoParams;
    }

    /// Saves and closes every session.
    pub struct Shutdown;
    impl Request for Shutdown {
        const NAME: &'static str = "shutdown";
        type Params = NoParams;
        type Answer = ();
    }

    /// Ends the process.
    pub struct Exit;
    impl Notification for Exit {
        const NAME: &'static str = "exit";
        type Params = NoParams;
    }

    /// Takes back a request, by the side that sent it.
    pub struct CancelRequest;
    impl Notification for CancelRequest {
        const NAME: &'static str = "$/cancelRequest";
        type Params = CancelParams;
    }

    /// This table as OpenRPC.
    pub struct RpcDiscover;
    impl Request for RpcDiscover {
        const NAME: &'static str = "rpc.discover";
        type Params = NoParams;
        type Answer = DiscoverResult;
    }

    /// A session begins or goes on; what a snapshot knows of it is restored.
    pub struct SessionStart;
    impl Request for SessionStart {
        const NAME: &'static str = "session_start";
        type Params = SessionStartParams;
        type Answer = SessionStartResult;
    }

    /// The host uses another model from now on.
    pub struct ModelSelect;
    impl Request for ModelSelect {
        const NAME: &'static str = "model_select";
        type Params = ModelSelectParams;
        type Answer = StatusResult;
    }
    impl Notification for ModelSelect {
        const NAME: &'static str = "model_select";
        type Params = ModelSelectParams;
    }

    /// The message list before a model call; the answer is the list to send.
    pub struct Context;
    impl Request for Context {
        const NAME: &'static str = "context";
        type Params = ContextParams;
        type Answer = ContextResult;
    }

    /// The model answered and its tools ran. As a request, its commands come in the answer.
    pub struct TurnEnd;
    impl Request for TurnEnd {
        const NAME: &'static str = "turn_end";
        type Params = TurnEndParams;
        type Answer = TurnEndResult;
    }
    impl Notification for TurnEnd {
        const NAME: &'static str = "turn_end";
        type Params = TurnEndParams;
    }

    /// The host is about to compact; {} leaves it to the host.
    pub struct SessionBeforeCompact;
    impl Request for SessionBeforeCompact {
        const NAME: &'static str = "session_before_compact";
        type Params = BeforeCompactParams;
        type Answer = BeforeCompactResult;
    }

    /// The host has compacted.
    pub struct SessionCompact;
    impl Request for SessionCompact {
        const NAME: &'static str = "session_compact";
        type Params = SessionCompactParams;
        type Answer = StatusResult;
    }
    impl Notification for SessionCompact {
        const NAME: &'static str = "session_compact";
        type Params = SessionCompactParams;
    }

    /// The host's compaction failed.
    pub struct SessionCompactFailed;
    impl Request for SessionCompactFailed {
        const NAME: &'static str = "session_compact_failed";
        type Params = CompactFailedParams;
        type Answer = StatusResult;
    }
    impl Notification for SessionCompactFailed {
        const NAME: &'static str = "session_compact_failed";
        type Params = CompactFailedParams;
    }

    /// The host is about to move in its session tree; {} leaves the summary to the host.
    pub struct SessionBeforeTree;
    impl Request for SessionBeforeTree {
        const NAME: &'static str = "session_before_tree";
        type Params = BeforeTreeParams;
        type Answer = BeforeTreeResult;
    }

    /// The host has moved in its session tree.
    pub struct SessionTree;
    impl Request for SessionTree {
        const NAME: &'static str = "session_tree";
        type Params = SessionTreeParams;
        type Answer = StatusResult;
    }
    impl Notification for SessionTree {
        const NAME: &'static str = "session_tree";
        type Params = SessionTreeParams;
    }

    /// The session ends; its snapshot stays.
    pub struct SessionShutdown;
    impl Request for SessionShutdown {
        const NAME: &'static str = "session_shutdown";
        type Params = SessionParams;
        type Answer = ();
    }
    impl Notification for SessionShutdown {
        const NAME: &'static str = "session_shutdown";
        type Params = SessionParams;
    }

    /// Where the session stands.
    pub struct GetStatus;
    impl Request for GetStatus {
        const NAME: &'static str = "getStatus";
        type Params = GetStatusParams;
        type Answer = Status;
    }

    /// The next `context` prunes: tool output, past the minimum; in preset balanced it opens an epoch.
    pub struct Prune;
    impl Request for Prune {
        const NAME: &'static str = "prune";
        type Params = SessionParams;
        type Answer = StatusResult;
    }

    /// Switches projection and packet off or on; ledger and snapshot go on.
    pub struct SetPruning;
    impl Request for SetPruning {
        const NAME: &'static str = "setPruning";
        type Params = SetPruningParams;
        type Answer = StatusResult;
    }

    /// What pruning has done so far.
    pub struct GetPruneStats;
    impl Request for GetPruneStats {
        const NAME: &'static str = "getPruneStats";
        type Params = SessionParams;
        type Answer = PruneStats;
    }

    /// The policy in force.
    pub struct GetPolicy;
    impl Request for GetPolicy {
        const NAME: &'static str = "getPolicy";
        type Params = SessionParams;
        type Answer = PolicyResult;
    }

    /// Sets policy keys for this session; null takes one back to its default.
    pub struct SetPolicy;
    impl Request for SetPolicy {
        const NAME: &'static str = "setPolicy";
        type Params = SetPolicyParams;
        type Answer = PolicyResult;
    }

    /// All facts that hold.
    pub struct GetLedger;
    impl Request for GetLedger {
        const NAME: &'static str = "getLedger";
        type Params = SessionParams;
        type Answer = LedgerResult;
    }

    /// The summaries that the session heard, the newest as they came.
    pub struct GetSummaries;
    impl Request for GetSummaries {
        const NAME: &'static str = "getSummaries";
        type Params = SessionParams;
        type Answer = SummariesResult;
    }

    /// The packet as it would be rendered now.
    pub struct GetPacket;
    impl Request for GetPacket {
        const NAME: &'static str = "getPacket";
        type Params = GetPacketParams;
        type Answer = PacketResult;
    }

    /// One verdict a message of the last projection, with the rule and the weights; and what each epoch did.
    pub struct Explain;
    impl Request for Explain {
        const NAME: &'static str = "explain";
        type Params = ExplainParams;
        type Answer = ExplainResult;
    }

    /// The original of something that left, by the handle in its marker, page by page.
    pub struct Retrieve;
    impl Request for Retrieve {
        const NAME: &'static str = "retrieve";
        type Params = RetrieveParams;
        type Answer = RetrieveResult;
    }

    /// What left and holds the words of a query, best first, with the handles that `retrieve` takes.
    pub struct Search;
    impl Request for Search {
        const NAME: &'static str = "search";
        type Params = SearchParams;
        type Answer = SearchResult;
    }

    /// Keeps a message, a call with its result, all that concerns a path, or all of a tool, as it is.
    pub struct Pin;
    impl Request for Pin {
        const NAME: &'static str = "pin";
        type Params = PinParams;
        type Answer = StatusResult;
    }

    /// Takes a pin off: what it held may leave at a later epoch.
    pub struct Unpin;
    impl Request for Unpin {
        const NAME: &'static str = "unpin";
        type Params = PinParams;
        type Answer = StatusResult;
    }

    /// Brings back what left at an epoch, and pins it.
    pub struct Undo;
    impl Request for Undo {
        const NAME: &'static str = "undo";
        type Params = UndoParams;
        type Answer = StatusResult;
    }

    /// What a compaction would summarise and keep, and the prompts a host can run on its own model.
    pub struct PlanCompaction;
    impl Request for PlanCompaction {
        const NAME: &'static str = "planCompaction";
        type Params = PlanCompactionParams;
        type Answer = PlanCompactionResult;
    }

    /// A finished compaction; the host applies it and reports `session_compact`.
    pub struct Compact;
    impl Request for Compact {
        const NAME: &'static str = "compact";
        type Params = CompactParams;
        type Answer = CompactResult;
    }

    /// A finished summary of the branch that is left behind.
    pub struct SummarizeBranch;
    impl Request for SummarizeBranch {
        const NAME: &'static str = "summarizeBranch";
        type Params = SummarizeBranchParams;
        type Answer = SummarizeBranchResult;
    }

    /// The model's own notes.
    pub struct GetScratchpad;
    impl Request for GetScratchpad {
        const NAME: &'static str = "getScratchpad";
        type Params = SessionParams;
        type Answer = ScratchpadResult;
    }

    /// Edits the notes: str_replace, insert, overwrite, in order, all or none.
    pub struct EditScratchpad;
    impl Request for EditScratchpad {
        const NAME: &'static str = "editScratchpad";
        type Params = EditScratchpadParams;
        type Answer = ScratchpadResult;
    }
}
