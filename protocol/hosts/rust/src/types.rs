//! The params and answers of every method. Written by scripts/gen from protocol/schema.json: do not edit.
#![allow(clippy::large_enum_variant, rustdoc::broken_intra_doc_links, rustdoc::invalid_html_tags)]

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::raw::Raw;

/// The version of the protocol that these types are of.
pub const PROTOCOL_VERSION: &str = "1.1";

/// Who the host is, what it can do, and the policy that its sessions start with.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InitializeParams {
    /// Protocol version of the host: "1.1", or an older one. A different major version is refused.
    pub protocol_version: String,
    /// Who the host is, for people who read a transcript.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_info: Option<ClientInfo>,
    /// What the host can do. Capabilities that are not declared are never used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<HostCapabilities>,
    /// Format of the host's messages: one of the answer's `messageFormats`, or "auto" to detect it from the first
    /// messages. Default: "pi".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_format: Option<String>,
    /// Policy keys that differ from their defaults.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<PolicyKeys>,
    /// Where snapshots are stored. Default: the user's state directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state_dir: Option<String>,
    /// The host's process id. When that process ends, ctxmgr saves and exits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process_id: Option<i64>,
    /// Tools of the host whose names do not say what they do. They take precedence over what ctxmgr knows, in all
    /// sessions. Since 1.1.
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

/// What the host can do. Capabilities that are not declared are never used.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HostCapabilities {
    /// When the host can compact on request: false (never), "whenIdle" (the same as true) or "midRun" (also between
    /// two model calls of one run).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_compaction: Option<HostCapabilitiesRequestCompaction>,
    /// The host runs a model call for ctxmgr on request: `complete`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub complete: Option<bool>,
    /// The host also answers a `complete` that has an `instruction`. It appends the instruction as one user message
    /// to its last request and what came since, with the same system prompt and tools. The provider then reads
    /// everything before it from its cache. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub complete_on_context: Option<bool>,
    /// The host turns texts into vectors on request: `embed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embed: Option<bool>,
    /// The host's model has a tool that calls `retrieve`. Without this, markers name the call to make again instead
    /// of a handle, and nothing is archived unless `archive` is declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retrieve: Option<bool>,
    /// What is removed is archived even if the model has no tool for it, so that people can `search` and `retrieve`
    /// it. Lists do not change. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archive: Option<bool>,
    /// The host applies `edits`. Each `context` still says which kind of answer it wants.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edits: Option<bool>,
    /// The host receives `telemetry/event`: what happens in its sessions, in numbers. Since 1.1.
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
/// must increase, slices must be larger than their overlap, and `model` "endpoint" needs an `endpoint`.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyKeys {
    /// How lists are changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<Preset>,
    /// Preset turns: how many of the newest turns are kept, by zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recent_user_turns: Option<TurnsKeptKeys>,
    /// Where the zones begin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zones: Option<ZonesKeys>,
    /// Preset turns: the longest tool result in an older turn, by zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distill: Option<DistillOverKeys>,
    /// Token budget of the packet, by zone. A single number is the budget in green; the other zones get less.
    /// Instructions come on top of it, word for word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packet_tokens: Option<PolicyKeysPacketTokens>,
    /// Token budget of the resume packet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resume_tokens: Option<u64>,
    /// Tokens reserved for the reply, at most a quarter of the window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reserve: Option<u64>,
    /// Tokens that the host keeps free before it compacts by itself. Red begins before that. The default counts as
    /// a quarter of the window at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_reserve: Option<u64>,
    /// Work as if the window had at most this many tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective_window: Option<u64>,
    /// Bytes of a request: its list as JSON, plus 4 for each of `overheadTokens`. Above this, the oldest pictures
    /// and documents are replaced by text. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_request_bytes: Option<u64>,
    /// Pictures and documents in a list, at most. null: the provider's known limit. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_images: Option<u64>,
    /// A tool result longer than this many tokens is cut to them when it arrives. null: no result is cut. Since
    /// 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_result_tokens: Option<u64>,
    /// Has no effect since rules 3, and is accepted from older hosts. See `keep`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_versus_recall: Option<f64>,
    /// Has no effect since rules 3, and is accepted from older hosts. See `keep`. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_tokens: Option<u64>,
    /// Has no effect since rules 3, and is accepted from older hosts. See `keep`. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest_tokens: Option<u64>,
    /// Has no effect since rules 3, and is accepted from older hosts. See `keep`. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index_tokens: Option<u64>,
    /// Prices of tokens, for a model whose host sends none. Only ratios matter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prices: Option<ModelPricesKeys>,
    /// Milliseconds that the provider keeps a prompt in its cache. null: as learned from usage, or else as known
    /// for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_ttl_ms: Option<u64>,
    /// Who writes compactions, and how. The short form only says who.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compaction: Option<PolicyKeysCompaction>,
    /// The vocabulary for `pressure` as long as no usage is known. The short form is its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokenizer: Option<PolicyKeysTokenizer>,
    /// Settings for some models, by model id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub models: Option<BTreeMap<String, Option<ModelPolicyKeys>>>,
    /// How long originals are kept for `retrieve`, and whether with their secrets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archive: Option<ArchiveKeys>,
    /// Tool output in this many of the newest turns is never pruned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protected_turns: Option<u64>,
    /// At least this many tokens of the newest older tool output are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prune_protect: Option<u64>,
    /// Pruning starts only if it saves at least this many tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prune_minimum: Option<u64>,
    /// Tools whose output is never pruned. Case is ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protected_tools: Option<Vec<String>>,
    /// Instructions (CLAUDE.md, AGENTS.md, skills, rules, memories) and the task (the plan that the user approved,
    /// the host's newest summary, long requests) stay in place, or word for word in the packet. Globs: only these
    /// files of instructions. False: treat both like any other output or message. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protected_instructions: Option<PolicyKeysProtectedInstructions>,
    /// Tools whose output may be pruned. Case is ignored. Empty: all tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prunable_tools: Option<Vec<String>>,
    /// Minutes without a call after which a session is unloaded from memory. The next call loads it from its
    /// snapshot. 0: never. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_minutes: Option<u64>,
    /// Preset balanced: the cost, in tokens of input, if the model lacks a passage that it repeats. With a higher
    /// number, text stays longer. lean is 330, balanced 1700, careful 3400. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep: Option<PolicyKeysKeep>,
    /// Preset balanced: what the first call sends once the prompt cache has expired. say: what is still worth its
    /// cost. prune: a fifth of the list, and at least what must stay. The status shows both costs. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle: Option<Idle>,
    /// The newest part of a list, which every preset sends byte for byte. Since 1.1.
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

/// How lists are changed. `off` changes nothing; `tools` prunes old tool output; `turns` keeps the newest turns and
/// replaces the others with a packet; `balanced` removes old steps and results when that is cheaper than keeping
/// them.
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

/// Where yellow, red and compact begin, as increasing shares of the usable window.
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

/// Length in characters above which a tool result in a kept older turn is distilled, by zone.
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

/// Token budget of the packet, by zone.
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

/// Dollars per million tokens. A missing price is taken from what is known of this exact model, in proportion, or
/// else as each key says.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelPricesKeys {
    /// Input tokens.
    pub input: f64,
    /// Output tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<f64>,
    /// Cache reads. null: a tenth of the input price. 0: free.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<f64>,
    /// Cache writes. 0: the input price if `cacheRead` is given, otherwise 1.25 times the input price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<f64>,
    /// Prices of longer requests. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tiers: Option<Vec<LongRequestPricesKeys>>,
}

/// Dollars per million tokens of a request above a size. They apply to the whole request.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LongRequestPricesKeys {
    /// The size: tokens of input.
    pub above_tokens: u64,
    /// Input tokens.
    pub input: f64,
    /// Output tokens. 0: in proportion to input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<f64>,
    /// Cache reads. null: in proportion to input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<f64>,
    /// Cache writes. 0: in proportion to input.
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

/// Who writes compactions, how much is kept, and how a summary is written.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompactionPolicyKeys {
    /// Who writes compactions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<Writer>,
    /// False: no compaction is requested. `compact` still works.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Tokens reserved for the reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reserve_tokens: Option<u64>,
    /// Tokens of the newest messages that are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_recent_tokens: Option<u64>,
    /// Tokens that a branch summary leaves free.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch_reserve_tokens: Option<u64>,
    /// How these tokens are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weigher: Option<Weigher>,
    /// How a summary is written. null: in one call with a model, extractive without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strategy: Option<Strategy>,
    /// The sections of a summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<SummaryFormat>,
    /// Who runs the model: the host (`complete`), an endpoint, or nobody. null: the host if it can, else an
    /// endpoint if one is configured, else nobody.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<SummaryModel>,
    /// The model server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<EndpointKeys>,
    /// How a long history is sliced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slices: Option<SlicesKeys>,
    /// Model calls in parallel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<u64>,
    /// How often a failed call is repeated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retries: Option<u64>,
    /// Time limit for a summary, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<u64>,
    /// Write a compaction in advance, from the yellow zone on. This spends money.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prepare_ahead: Option<bool>,
    /// Instructions added to every summary prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// Your own prompts. `planCompaction` returns ctxmgr's. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompts: Option<SummaryPromptsKeys>,
}

/// "tokens": real tokens, as the session counts them. "chars4": UTF-16 units / 4, as pi counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Weigher {
    #[serde(rename = "tokens")]
    Tokens,
    #[serde(rename = "chars4")]
    Chars4,
    #[serde(untagged)]
    Other(String),
}

/// How a summary is written. `single-shot`: one call. `parallel-stitch`: slices in parallel, then merged.
/// `sequential-accumulated`: slices one after the other, each with what the earlier ones gave. `sequential-rolling`
/// and `incremental`: each call continues the summary. `extractive`: without a model, from what was said.
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

/// The sections of a summary.
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
    /// Its address: everything before `/chat/completions`, including `/v1`. For `anthropic`, everything before
    /// `/v1/messages`.
    pub base_url: String,
    /// The model's name on that server.
    pub model: String,
    /// Name of the environment variable with the key. Keys are never part of a policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_key_env: Option<String>,
    /// The model's context window in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
    /// Time limit for one call, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// The server's API: OpenAI's chat completions, or Anthropic's messages. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api: Option<EndpointApi>,
}

/// API of a model server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EndpointApi {
    #[serde(rename = "chat")]
    Chat,
    #[serde(rename = "anthropic")]
    Anthropic,
    #[serde(untagged)]
    Other(String),
}

/// How a long history is sliced for a model.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SlicesKeys {
    /// Tokens per slice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Tokens that two neighboring slices share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overlap: Option<u64>,
    /// Length of the answer to a slice, as a share of the slice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// How many of the newest slices get a longer answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest: Option<u64>,
    /// How many times longer that answer is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest_boost: Option<f64>,
    /// Cut at the step nearest to the size, or where the subject changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breaks: Option<SliceBreaks>,
    /// How a change of subject is detected: by words, by the embeddings extra, or by the host's `embed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cohesion: Option<SliceCohesion>,
    /// Show of a slice what matters to the goal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weighted: Option<bool>,
}

/// Where a long history is sliced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SliceBreaks {
    #[serde(rename = "steps")]
    Steps,
    #[serde(rename = "natural")]
    Natural,
    #[serde(untagged)]
    Other(String),
}

/// How a change of subject is detected.
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

/// Your own prompts instead of ctxmgr's. "": ctxmgr's own. The record comes before them, in tags, and
/// `instructions` after them. The answer to your own `history`, `turnPrefix` or `branch` may be any text: it is not
/// checked for sections, and `format` is ignored.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SummaryPromptsKeys {
    /// System prompt of every call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// What to write about the conversation that a compaction removes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<String>,
    /// The same, for the first part of a turn whose rest is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_prefix: Option<String>,
    /// The same, for a branch that was left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
}

/// The vocabulary for `pressure` as long as no usage is known. What stays in a list depends on an estimate instead.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenizerKeys {
    /// "o200k_base", or "estimate" for no vocabulary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Path of the vocabulary file. null: the default location.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// Settings that can differ by model. A missing key has the policy's value.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelPolicyKeys {
    /// Where the zones begin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zones: Option<ZonesKeys>,
    /// Tokens reserved for the reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reserve: Option<u64>,
    /// Tokens that the host keeps free before it compacts by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_reserve: Option<u64>,
    /// Work as if the window had at most this many tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective_window: Option<u64>,
    /// Who writes compactions, and how.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compaction: Option<ModelPolicyKeysCompaction>,
    /// Prices of its tokens, if the host sends none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prices: Option<ModelPricesKeys>,
    /// Milliseconds that its provider keeps a prompt in its cache, if the host does not say.
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

/// How long originals are kept for `retrieve`, and whether with their secrets. The oldest are deleted first, those
/// of open sessions never.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ArchiveKeys {
    /// Days after removal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_age_days: Option<u64>,
    /// Megabytes (10^6 bytes) of text in the whole state directory, for all sessions together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_megabytes: Option<u64>,
    /// Keep secrets of known shapes in originals. False: they are masked before they are written to disk, and
    /// `retrieve` returns `[masked]` in their place. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_secrets: Option<bool>,
}

/// How much stays: `lean` least, `careful` most.
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

/// What the first call sends after the prompt cache has expired: `say` as usual, `prune` a fifth.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Idle {
    #[serde(rename = "say")]
    Say,
    #[serde(rename = "prune")]
    Prune,
    #[serde(untagged)]
    Other(String),
}

/// The newest part of a list, in whole steps. It is sent byte for byte as long as it fits the window.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkingSetKeys {
    /// At least this many of the newest tool results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results: Option<u64>,
    /// At least this many tokens of the newest steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
}

/// A tool of the host, and which of its arguments contain a path (or a list of paths) or a command line. A tool
/// that does several things names several arguments. A call does those whose argument it has.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeclaredTool {
    /// The tool's name, as in calls.
    pub name: String,
    /// Contains the path of a file whose text is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reads: Option<String>,
    /// Contains the path of a file that is written as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writes: Option<String>,
    /// Contains the path of a file that is edited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edits: Option<String>,
    /// Contains the path of a file that is deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deletes: Option<String>,
    /// Contains a shell command line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs: Option<String>,
    /// Contains the path that is searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searches: Option<String>,
    /// Contains the path that is listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lists: Option<String>,
}

/// What ctxmgr is and can do, and the resulting policy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InitializeResult {
    /// The protocol version in use: the older of the host's and ctxmgr's.
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
    /// Formats that `initialize` accepts.
    pub message_formats: Vec<String>,
    /// Presets that a policy accepts.
    pub presets: Vec<String>,
    /// Framings that ctxmgr understands.
    pub framings: Vec<String>,
    /// `context` accepts `append`.
    pub append: bool,
    /// `context` accepts `answer: "edits"`.
    pub edits: bool,
}

/// All settings of a session. Tokens are ctxmgr's own count unless a key says otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Policy {
    /// How lists are changed.
    pub preset: Preset,
    /// Preset turns: how many of the newest turns are kept, by zone.
    pub recent_user_turns: TurnsKept,
    /// Where the zones begin.
    pub zones: Zones,
    /// Preset turns: the longest tool result in an older turn, by zone.
    pub distill: DistillOver,
    /// Token budget of the packet, by zone. A single number is the budget in green; the other zones get less.
    /// Instructions come on top of it, word for word.
    pub packet_tokens: PolicyPacketTokens,
    /// Token budget of the resume packet.
    pub resume_tokens: u64,
    /// Tokens reserved for the reply, at most a quarter of the window.
    pub reserve: u64,
    /// Tokens that the host keeps free before it compacts by itself. Red begins before that. The default counts as
    /// a quarter of the window at most.
    pub host_reserve: u64,
    /// Work as if the window had at most this many tokens.
    pub effective_window: Option<u64>,
    /// Bytes of a request: its list as JSON, plus 4 for each of `overheadTokens`. Above this, the oldest pictures
    /// and documents are replaced by text. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_request_bytes: Option<u64>,
    /// Pictures and documents in a list, at most. null: the provider's known limit. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_images: Option<u64>,
    /// A tool result longer than this many tokens is cut to them when it arrives. null: no result is cut. Since
    /// 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_result_tokens: Option<u64>,
    /// Has no effect since rules 3, and is accepted from older hosts. See `keep`.
    pub cost_versus_recall: f64,
    /// Has no effect since rules 3, and is accepted from older hosts. See `keep`. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_tokens: Option<u64>,
    /// Has no effect since rules 3, and is accepted from older hosts. See `keep`. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest_tokens: Option<u64>,
    /// Has no effect since rules 3, and is accepted from older hosts. See `keep`. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index_tokens: Option<u64>,
    /// Prices of tokens, for a model whose host sends none. Only ratios matter.
    pub prices: Option<ModelPrices>,
    /// Milliseconds that the provider keeps a prompt in its cache. null: as learned from usage, or else as known
    /// for the model.
    pub cache_ttl_ms: Option<u64>,
    /// Who writes compactions, and how. The short form only says who.
    pub compaction: PolicyCompaction,
    /// The vocabulary for `pressure` as long as no usage is known. The short form is its name.
    pub tokenizer: PolicyTokenizer,
    /// Settings for some models, by model id.
    pub models: BTreeMap<String, ModelPolicy>,
    /// How long originals are kept for `retrieve`, and whether with their secrets.
    pub archive: Archive,
    /// Tool output in this many of the newest turns is never pruned.
    pub protected_turns: u64,
    /// At least this many tokens of the newest older tool output are kept.
    pub prune_protect: u64,
    /// Pruning starts only if it saves at least this many tokens.
    pub prune_minimum: u64,
    /// Tools whose output is never pruned. Case is ignored.
    pub protected_tools: Vec<String>,
    /// Instructions (CLAUDE.md, AGENTS.md, skills, rules, memories) and the task (the plan that the user approved,
    /// the host's newest summary, long requests) stay in place, or word for word in the packet. Globs: only these
    /// files of instructions. False: treat both like any other output or message. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protected_instructions: Option<PolicyProtectedInstructions>,
    /// Tools whose output may be pruned. Case is ignored. Empty: all tools.
    pub prunable_tools: Vec<String>,
    /// Minutes without a call after which a session is unloaded from memory. The next call loads it from its
    /// snapshot. 0: never. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_minutes: Option<u64>,
    /// Preset balanced: the cost, in tokens of input, if the model lacks a passage that it repeats. With a higher
    /// number, text stays longer. lean is 330, balanced 1700, careful 3400. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep: Option<PolicyKeep>,
    /// Preset balanced: what the first call sends once the prompt cache has expired. say: what is still worth its
    /// cost. prune: a fifth of the list, and at least what must stay. The status shows both costs. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle: Option<Idle>,
    /// The newest part of a list, which every preset sends byte for byte. Since 1.1.
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

/// Where yellow, red and compact begin, as increasing shares of the usable window.
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

/// Length in characters above which a tool result in a kept older turn is distilled, by zone.
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

/// Token budget of the packet, by zone.
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

/// Dollars per million tokens. A missing price is taken from what is known of this exact model, in proportion, or
/// else as each key says.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelPrices {
    /// Input tokens.
    pub input: f64,
    /// Output tokens.
    pub output: f64,
    /// Cache reads. null: a tenth of the input price. 0: free.
    pub cache_read: Option<f64>,
    /// Cache writes. 0: the input price if `cacheRead` is given, otherwise 1.25 times the input price.
    pub cache_write: f64,
    /// Prices of longer requests. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tiers: Option<Vec<LongRequestPrices>>,
}

/// Dollars per million tokens of a request above a size. They apply to the whole request.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LongRequestPrices {
    /// The size: tokens of input.
    pub above_tokens: u64,
    /// Input tokens.
    pub input: f64,
    /// Output tokens. 0: in proportion to input.
    pub output: f64,
    /// Cache reads. null: in proportion to input.
    pub cache_read: Option<f64>,
    /// Cache writes. 0: in proportion to input.
    pub cache_write: f64,
}

/// Who writes compactions, how much is kept, and how a summary is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompactionPolicy {
    /// Who writes compactions.
    pub by: Writer,
    /// False: no compaction is requested. `compact` still works.
    pub enabled: bool,
    /// Tokens reserved for the reply.
    pub reserve_tokens: u64,
    /// Tokens of the newest messages that are kept.
    pub keep_recent_tokens: u64,
    /// Tokens that a branch summary leaves free.
    pub branch_reserve_tokens: u64,
    /// How these tokens are counted.
    pub weigher: Weigher,
    /// How a summary is written. null: in one call with a model, extractive without one.
    pub strategy: Option<Strategy>,
    /// The sections of a summary.
    pub format: SummaryFormat,
    /// Who runs the model: the host (`complete`), an endpoint, or nobody. null: the host if it can, else an
    /// endpoint if one is configured, else nobody.
    pub model: Option<SummaryModel>,
    /// The model server.
    pub endpoint: Option<Endpoint>,
    /// How a long history is sliced.
    pub slices: Slices,
    /// Model calls in parallel.
    pub concurrency: u64,
    /// How often a failed call is repeated.
    pub retries: u64,
    /// Time limit for a summary, in milliseconds.
    pub deadline_ms: u64,
    /// Write a compaction in advance, from the yellow zone on. This spends money.
    pub prepare_ahead: bool,
    /// Instructions added to every summary prompt.
    pub instructions: Option<String>,
    /// Your own prompts. `planCompaction` returns ctxmgr's. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompts: Option<SummaryPrompts>,
}

/// A model server that writes summaries.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Endpoint {
    /// Its address: everything before `/chat/completions`, including `/v1`. For `anthropic`, everything before
    /// `/v1/messages`.
    pub base_url: String,
    /// The model's name on that server.
    pub model: String,
    /// Name of the environment variable with the key. Keys are never part of a policy.
    pub api_key_env: Option<String>,
    /// The model's context window in tokens.
    pub context_window: u64,
    /// Time limit for one call, in milliseconds.
    pub timeout_ms: u64,
    /// The server's API: OpenAI's chat completions, or Anthropic's messages. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api: Option<EndpointApi>,
}

/// How a long history is sliced for a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Slices {
    /// Tokens per slice.
    pub tokens: u64,
    /// Tokens that two neighboring slices share.
    pub overlap: u64,
    /// Length of the answer to a slice, as a share of the slice.
    pub ratio: f64,
    /// How many of the newest slices get a longer answer.
    pub newest: u64,
    /// How many times longer that answer is.
    pub newest_boost: f64,
    /// Cut at the step nearest to the size, or where the subject changes.
    pub breaks: SliceBreaks,
    /// How a change of subject is detected: by words, by the embeddings extra, or by the host's `embed`.
    pub cohesion: SliceCohesion,
    /// Show of a slice what matters to the goal.
    pub weighted: bool,
}

/// Your own prompts instead of ctxmgr's. "": ctxmgr's own. The record comes before them, in tags, and
/// `instructions` after them. The answer to your own `history`, `turnPrefix` or `branch` may be any text: it is not
/// checked for sections, and `format` is ignored.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SummaryPrompts {
    /// System prompt of every call.
    pub system: String,
    /// What to write about the conversation that a compaction removes.
    pub history: String,
    /// The same, for the first part of a turn whose rest is kept.
    pub turn_prefix: String,
    /// The same, for a branch that was left.
    pub branch: String,
}

/// The vocabulary for `pressure` as long as no usage is known. What stays in a list depends on an estimate instead.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tokenizer {
    /// "o200k_base", or "estimate" for no vocabulary.
    pub name: String,
    /// Path of the vocabulary file. null: the default location.
    pub path: Option<String>,
}

/// Settings that can differ by model. A missing key has the policy's value.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelPolicy {
    /// Where the zones begin.
    pub zones: Option<Zones>,
    /// Tokens reserved for the reply.
    pub reserve: Option<u64>,
    /// Tokens that the host keeps free before it compacts by itself.
    pub host_reserve: Option<u64>,
    /// Work as if the window had at most this many tokens.
    pub effective_window: Option<u64>,
    /// Who writes compactions, and how.
    pub compaction: Option<ModelPolicyCompaction>,
    /// Prices of its tokens, if the host sends none.
    pub prices: Option<ModelPrices>,
    /// Milliseconds that its provider keeps a prompt in its cache, if the host does not say.
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

/// How long originals are kept for `retrieve`, and whether with their secrets. The oldest are deleted first, those
/// of open sessions never.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Archive {
    /// Days after removal.
    pub max_age_days: u64,
    /// Megabytes (10^6 bytes) of text in the whole state directory, for all sessions together.
    pub max_megabytes: u64,
    /// Keep secrets of known shapes in originals. False: they are masked before they are written to disk, and
    /// `retrieve` returns `[masked]` in their place. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_secrets: Option<bool>,
}

/// The newest part of a list, in whole steps. It is sent byte for byte as long as it fits the window.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkingSet {
    /// At least this many of the newest tool results.
    pub results: u64,
    /// At least this many tokens of the newest steps.
    pub tokens: u64,
}

/// No members. `params` may be omitted.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NoParams {
}

/// The request to cancel.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CancelParams {
    /// Id of the request, as it was sent.
    pub id: RequestId,
}

/// Id of a request. ctxmgr returns it byte for byte. ctxmgr's own ids are strings.
pub type RequestId = Raw;

/// The protocol as an OpenRPC document, the same as `openrpc.json` in this folder.
pub type DiscoverResult = Raw;

/// A session and the model that it starts with. This is not an event and does not count in `seq`.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionStartParams {
    /// The host's id of the session. The same id continues where the session ended.
    pub session_id: String,
    /// The model that the session's lists are for.
    pub model: Model,
    /// Working directory. Lists of saved sessions show it. It is not used otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The host's session tree, oldest entry first. ctxmgr learns from it what a snapshot does not contain, and
    /// which entry each message belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<Vec<Entry>>,
    /// The session's current entry. Default: the last of `entries`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaf_id: Option<String>,
    /// Format of this session's messages. Default: that of `initialize`. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_format: Option<String>,
    /// Tools of this session. They take precedence over those of `initialize`. If neither gives any, those of the
    /// saved session apply. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<DeclaredTool>>,
}

/// A model and its context window.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Model {
    /// The model's name. What is learned about its token counts is stored under this name.
    pub id: String,
    /// Context window in tokens.
    pub context_window: f64,
    /// The model's provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// Longest reply in tokens. Summaries that this model writes are kept below it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<f64>,
    /// Prices of its tokens. Only ratios matter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prices: Option<Prices>,
    /// Milliseconds that its provider keeps a prompt in its cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_ttl_ms: Option<f64>,
    /// The calls may wait, as batch requests do. Without prices, the known batch prices apply. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<bool>,
    /// The model's template requires user and assistant messages to alternate (apart from tool calls and results).
    /// Lists then alternate if the given list does, and the packet is part of a user message. Without this member,
    /// the model's name or a refusal decides. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strict_roles: Option<bool>,
}

/// Dollars per million tokens. A missing price is taken from what is known of this exact model, in proportion, or
/// else as each member says.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Prices {
    /// Uncached input. 0: unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<f64>,
    /// Output. 0: unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<f64>,
    /// Cache reads. 0: free. Default: a tenth of the input price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<f64>,
    /// Cache writes. Absent or 0: the input price if `cacheRead` is given, otherwise 1.25 times the input price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<f64>,
    /// Prices of longer requests. Default: as known of the model, in proportion. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tiers: Option<Vec<HostTierPrices>>,
}

/// Dollars per million tokens of a request above a size. They apply to the whole request. A missing price changes
/// in the same proportion as `input`.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HostTierPrices {
    /// The size: tokens of input.
    pub above_tokens: f64,
    /// Uncached input.
    pub input: f64,
    /// Output. 0: unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<f64>,
    /// Cache reads. 0: free.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<f64>,
    /// Cache writes. 0: unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<f64>,
}

/// One entry of the host's session tree, as the host's own object: `{id, parentId, type, timestamp?}` and the
/// members of its type, as in pi: `message` of a message, `summary` of a compaction. Entries of unknown types only
/// have a place in the tree. Entries without `id` are ignored.
pub type Entry = Raw;

/// What was known of the session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionStartResult {
    /// True if the session was known: still open, or loaded from its snapshot.
    pub restored: bool,
    /// State of the session after this call.
    pub status: Status,
    /// Number of the session's events that have taken effect. See reference.md#order.
    pub seq: i64,
}

/// State of a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// "off" in preset `off` and after `setPruning` false.
    pub mode: Mode,
    /// The current preset.
    pub preset: Preset,
    /// The current band of pressure.
    pub zone: Zone,
    /// Tokens used, divided by usable tokens.
    pub pressure: f64,
    /// Tokens of the list in the provider's count. null until the first `usage`, and between a compaction and the
    /// next `usage`.
    pub tokens: Option<i64>,
    /// The model's context window in tokens.
    pub context_window: i64,
    /// Tokens of the packet in the last list.
    pub packet_tokens: i64,
    /// Number of summaries so far.
    pub summaries: Summaries,
    /// Whether a compaction has been requested.
    pub latch: LatchStatus,
    /// Totals of the session.
    pub stats: Stats,
    /// Number of the current cache epoch. 0 before the first one.
    pub epoch: i64,
    /// Number of pins.
    pub pins: i64,
    /// False if the window is so small that the host may compact before ctxmgr can ask.
    pub promise: bool,
    /// The vocabulary in use, or `estimate`.
    pub weigher: String,
    /// Messages for people: an unreadable snapshot, a missing vocabulary, an unusable archive.
    pub notes: Vec<String>,
    /// Number of the session's events that have taken effect. See reference.md#order.
    pub seq: i64,
    /// Source of `tokens` and `pressure`: the provider's last plausible count plus what came since, or the list
    /// counted by the vocabulary or the estimate. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counted_by: Option<CountSource>,
    /// Context window in tokens, as learned from a "too long" refusal. null: as the host said. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learned_window: Option<i64>,
    /// Provider tokens per token of ctxmgr's count, as learned for this model so far. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// What the prompt cache gave, compared with what it should have. null until a call can be compared, and if
    /// `usage` does not say what was read. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheStatus>,
    /// `seq` of the newest event that has reached the store (`serve --store`). null without a store, or if no event
    /// is known to be there. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub durable: Option<i64>,
    /// The facts in use about the model, and their sources. null in the answer to `turn_end`. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelStatus>,
}

/// Whether lists are changed.
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

/// Number of summaries, by kind.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Summaries {
    /// Compactions.
    pub compaction: i64,
    /// Branches that were left.
    pub branch: i64,
}

/// Whether this episode has already asked for a compaction. See reference.md#the-latch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LatchStatus {
    /// Its state.
    pub state: LatchState,
    /// Consecutive failures.
    pub failures: i64,
}

/// `idle`: may ask. `asked`: waits for the outcome. `cooldown`: was refused or failed. `resting`: failed too often,
/// waits for pressure to fall.
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

/// Totals of the session. Tokens are ctxmgr's own count.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Stats {
    /// Lists changed.
    pub contexts: i64,
    /// Lists answered by the fallback after an internal fault.
    pub fallbacks: i64,
    /// Turns dropped.
    pub turns_dropped: i64,
    /// Tool results distilled.
    pub results_distilled: i64,
    /// Tool results pruned.
    pub results_pruned: i64,
    /// Tokens of tool output that the last pruning examined.
    pub tokens_scanned: i64,
    /// Tokens pruned.
    pub tokens_pruned: i64,
    /// Tokens that the last pruning skipped because they are protected.
    pub tokens_protected: i64,
    /// Compactions requested.
    pub compactions_requested: i64,
}

/// Source of tokens and pressure.
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

/// What the prompt cache gave. Tokens are the provider's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CacheStatus {
    /// Tokens that the newest calls should have read: what each list had in common with the one before, plus what
    /// precedes the list.
    pub expected: i64,
    /// Tokens that these calls did read, by the provider's count.
    pub read: i64,
    /// Number of these calls, at most 8. Only calls that came while the entry of the one before was still in the
    /// cache count.
    pub calls: i64,
    /// Milliseconds until an unread cache entry is assumed to expire.
    pub lifetime_ms: i64,
    /// Source of that lifetime.
    pub lifetime_from: LifetimeSource,
    /// What the cause may be, if the newest calls persistently read less than half of what they should.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap: Option<String>,
    /// When the cache entry of the last list expires if no call reads it, in milliseconds since 1970: its `at` plus
    /// `lifetimeMs`. Absent if the list had no time or nothing is cached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<i64>,
    /// Cost of the first call after that. Present if `getStatus` asks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cold_cost: Option<ColdCost>,
    /// Prompts that changed early without ctxmgr. Absent if there were none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub busts: Option<CacheBusts>,
}

/// Source of the cache lifetime. `host` and `policy`: `cacheTtlMs`. `learned`: from what calls read after pauses.
/// `rule`: known of the provider.
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

/// Cost of the first call after the prompt cache has expired.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ColdCost {
    /// With the host's own list.
    pub raw: WrittenPrompt,
    /// With the list that ctxmgr would answer.
    pub pruned: WrittenPrompt,
}

/// A write to the prompt cache.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WrittenPrompt {
    /// Provider tokens, including what precedes the list.
    pub tokens: i64,
    /// Cost. null if no price is known.
    pub dollars: Option<f64>,
}

/// Totals of the session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CacheBusts {
    /// Number of calls.
    pub count: i64,
    /// Number of calls by what changed: `tools`, `system`, `messages`.
    pub parts: BTreeMap<String, i64>,
    /// Total of all of them.
    pub tokens: i64,
    /// Total of those with a known price. Absent if there are none.
    pub dollars: Option<f64>,
    /// The newest.
    pub last: CacheBust,
}

/// A prompt changed early, and not because of ctxmgr. Everything after the change was written to the cache again,
/// although it was cached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CacheBust {
    /// The part of the prompt: tool definitions, system prompt, or the list.
    pub part: PromptPart,
    /// What happened to that tool, block or message.
    pub how: HowChanged,
    /// Its index, from 0.
    pub index: f64,
    /// If it changed: the number of bytes of its JSON that are unchanged.
    pub offset: f64,
    /// Tokens that were written, in the provider's count.
    pub tokens: i64,
    /// How much more that cost than reading them. Absent if no price is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dollars: Option<f64>,
}

/// A part of a prompt, in the order in which it is cached.
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

/// What happened to a part. `moved`: its order changed.
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

/// The facts in use about the session's model, and their sources.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelStatus {
    /// The model's id, as the host gave it.
    pub id: String,
    /// Context window in tokens, or less if a refusal showed that.
    pub context_window: i64,
    /// Longest reply in tokens. null: unknown.
    pub max_output_tokens: Option<i64>,
    /// Source of the longest reply.
    pub output_by: SaidBy,
    /// Prices: the first tier applies above 0 tokens, the others to longer requests. Empty: unknown.
    pub prices: Vec<TierPrices>,
    /// Source of the prices.
    pub prices_by: SaidBy,
    /// How its provider caches prompts.
    pub cache: ProviderCache,
    /// Source of how the provider caches.
    pub cache_by: SaidBy,
    /// Source of the cache lifetime. What calls taught is in `cache` of the status.
    pub lifetime_by: SaidBy,
    /// The row with the facts about the model. "": none.
    pub like: String,
    /// How that row was found.
    pub why: String,
    /// Where its facts were read. "" if there are none.
    pub source: String,
    /// The date of its facts.
    pub date: String,
}

/// Source: the host, the policy, what is known of this model, what is known of a similar one, or none.
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

/// Dollars per million tokens of a request above the tier's size. They apply to the whole request. null: unknown.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TierPrices {
    /// The size: tokens of input.
    pub above_tokens: i64,
    /// Uncached input.
    pub input: Option<f64>,
    /// Output.
    pub output: Option<f64>,
    /// Cache reads.
    pub cache_read: Option<f64>,
    /// Cache writes.
    pub cache_write: Option<f64>,
}

/// How the provider caches prompts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProviderCache {
    /// What is cached of a request.
    pub kind: CacheKind,
    /// Marks allowed in one request.
    pub most_marks: i64,
    /// How many content blocks before a mark an earlier entry is found at most. 0: no limit.
    pub look_back_blocks: i64,
    /// Shortest prompt in tokens that is cached.
    pub least_tokens: i64,
    /// Reads are a multiple of this many tokens.
    pub step_tokens: i64,
    /// Milliseconds until an unread entry expires.
    pub lifetime_ms: i64,
    /// Whether each read restarts that time.
    pub renews: bool,
}

/// `marks`: up to each mark in the request. `implicit`: automatic. `none`: nothing.
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

/// The session's model from now on.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelSelectParams {
    /// The session's id, as given to `session_start`. Any string.
    pub session_id: String,
    /// The new model.
    pub model: Model,
}

/// Returns the state of the session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusResult {
    /// State of the session after this call.
    pub status: Status,
    /// Number of the session's events that have taken effect. See reference.md#order.
    pub seq: i64,
}

/// The list that the host would send to the model: either the whole list (`messages`) or what came since the last
/// call (`append`), never both.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextParams {
    /// The session's id, as given to `session_start`. Any string.
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
    /// Tokens of the system prompt and the tool definitions, which are not in the list. Kept until a new number
    /// arrives. Used until the first `usage` is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overhead_tokens: Option<f64>,
    /// "messages": always the whole list. "edits": what is kept and what is inserted. Default: the whole list, or
    /// `unchanged`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<AnswerForm>,
    /// Number of cache marks in the request outside of the list, on the system prompt and the tools. Default: 2.
    /// The report's `cacheBreakpoints` uses the remaining ones. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_marks: Option<f64>,
    /// How the tools and the system prompt, which are not in the list, differ from the call before. Absent: they do
    /// not, or the host does not say. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix_change: Option<PrefixChange>,
}

/// One message: the host's own object, in the format that `initialize` named. It passes unchanged. Unknown members,
/// blocks and roles stay where they are.
pub type Message = Raw;

/// What came since the last `context`. If `after` or `base` does not match, the answer is error -32801: send the
/// whole list.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Append {
    /// Number of messages sent before.
    pub after: f64,
    /// The `base` of the last answer.
    pub base: String,
    /// What came since.
    pub messages: Vec<Message>,
}

/// How `context` returns the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AnswerForm {
    #[serde(rename = "messages")]
    Messages,
    #[serde(rename = "edits")]
    Edits,
    #[serde(untagged)]
    Other(String),
}

/// Where a prompt first differs from that of the call before, and how. It contains no text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PrefixChange {
    /// The part of the prompt: tool definitions, system prompt, or the list.
    pub part: PromptPart,
    /// What happened to that tool, block or message.
    pub how: HowChanged,
    /// Its index, from 0.
    pub index: f64,
    /// If it changed: the number of bytes of its JSON that are unchanged.
    pub offset: f64,
}

/// The list to send to the model. Exactly one of `messages`, `edits` and `unchanged` is present.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextResult {
    /// Tag of this state of the list, for the next call's `append`. "" after a fault: the next call sends the whole
    /// list.
    pub base: String,
    /// What was done, and why.
    pub report: Report,
    /// Number of the session's events that have taken effect. See reference.md#order.
    pub seq: i64,
    /// The list to send. Messages that are kept are byte for byte as they came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages: Option<Vec<Message>>,
    /// The list to send, in pieces, in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edits: Option<Vec<Edit>>,
    /// True: the host sends its own list unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unchanged: Option<bool>,
}

/// What a projection did. Token counts are ctxmgr's own, before the provider's usage corrects them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Tokens of the list as it came.
    pub raw_tokens: i64,
    /// Tokens of the list to send.
    pub tokens: i64,
    /// The zone of the list before this call pruned it.
    pub zone: Zone,
    /// Number of the current cache epoch. 0 if none was opened.
    pub epoch: i64,
    /// Index of the first message that differs from the previous answer. A provider's cache is valid up to there.
    /// -1: the list only grew at its end (cache marks and spelling are ignored). 0: a different list is the first
    /// one after a restart.
    pub first_changed_index: i64,
    /// Turns in the list to send.
    pub turns_kept: i64,
    /// Turns removed from it.
    pub turns_dropped: i64,
    /// Tool results shortened in it.
    pub results_distilled: i64,
    /// Tool results replaced with a marker.
    pub results_pruned: i64,
    /// Tokens of the packet. 0 without one.
    pub packet_tokens: i64,
    /// Broken promises. The answer is then the last good list. `fit`: the list is as short as possible and still
    /// does not fit the window (see `tooBig`). Normally empty.
    pub checks: Vec<String>,
    /// Where cache marks belong, for a provider with marks: on the last block that can have one, in the messages
    /// with these indexes. Ascending, usually including the newest message. No other message of the list should
    /// have a mark. Empty if the provider has no marks, if `ownMarks` leaves none, and after a fault: the host then
    /// sets its marks as usual. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_breakpoints: Option<Vec<i64>>,
    /// Messages removed individually, not with their turn: in preset balanced, and in others if the list did not
    /// fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages_dropped: Option<i64>,
    /// Results, texts and arguments that were cut because they were too long or the list did not fit. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocks_cut: Option<i64>,
    /// With `fit` in `checks`: the messages with the most tokens, largest first. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub too_big: Option<Vec<TooBig>>,
    /// Tokens at the start of this list that are the same as in the last answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix_tokens: Option<i64>,
    /// The same in bytes of its messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix_bytes: Option<i64>,
    /// For the epoch that this call opened: what it costs and what it saves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arithmetic: Option<String>,
    /// Files whose text was removed from the model's view, in whole or in part, with this answer. A host that
    /// remembers what its model has read can forget them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reads_gone: Option<Vec<ReadGone>>,
    /// Why the answer is `unchanged` or the last good list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Unpaired surrogates in the request that became U+FFFD.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mended: Option<i64>,
    /// Tokens by which the list exceeds the host's own: what the packet says about what the host itself removed,
    /// and the scratchpad. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub carried_tokens: Option<i64>,
    /// The prompt changed early, and not because of ctxmgr. Absent otherwise. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_bust: Option<CacheBust>,
}

/// A message of a list that does not fit the window, whatever is cut.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TooBig {
    /// What the message is: user, assistant, result, prompt, ...
    pub kind: String,
    /// Its index in the host's list.
    pub index: i64,
    /// Its tokens as it is sent.
    pub tokens: i64,
}

/// A file whose text was removed from the model's view.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadGone {
    /// The path, as the call named it.
    pub path: String,
}

/// One piece of the list to send: a range of the host's own messages, or a message to insert.
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
    /// `[from, to]`: indexes into the whole list, including its appended part. `to` is not included.
    pub keep: [u64; 2],
}

/// A message that replaces others or is added.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PutEdit {
    /// The message, in the host's format.
    pub put: Message,
}

/// What the model answered and what its tools returned. The message also belongs into the next list.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnEndParams {
    /// The session's id, as given to `session_start`. Any string.
    pub session_id: String,
    /// The model's message.
    pub message: Message,
    /// The results of its tool calls, in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_results: Option<Vec<Message>>,
    /// The provider's token count of this call. Without it, the message's own `usage` is read. It corrects ctxmgr's
    /// counts. Without any usage, compactions are requested based on the estimate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<UsageParams>,
    /// The host's time, in milliseconds since the epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<f64>,
    /// The entries that the message and results became in the session tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry_ids: Option<EntryIds>,
}

/// Tokens as the provider counted them: in these members, or as the provider's or framework's own object,
/// unchanged. Members in snake_case are Anthropic's and OpenAI's. Those that end in `TokenCount` are Gemini's.
/// DeepSeek, Kimi, Mistral, Bedrock, Ollama, llama.cpp, LangChain, pydantic-ai, the AI SDK and OpenCode have
/// members of their own.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UsageParams {
    /// Uncached input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<f64>,
    /// Output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<f64>,
    /// Cache reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<f64>,
    /// Cache writes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<f64>,
    /// Total. Takes precedence over the sum of the four.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_tokens: Option<f64>,
    /// Total, for a host that knows nothing else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<f64>,
    /// Anthropic: uncached input. OpenAI responses: all input.
    #[serde(rename = "input_tokens")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<f64>,
    /// Anthropic, OpenAI responses: output.
    #[serde(rename = "output_tokens")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<f64>,
    /// Anthropic: cache reads.
    #[serde(rename = "cache_read_input_tokens")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_read_input_tokens: Option<f64>,
    /// Anthropic: cache writes.
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
    /// OpenAI: total.
    #[serde(rename = "total_tokens")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_tokens_: Option<f64>,
    /// OpenAI responses: cache reads, as part of the input.
    #[serde(rename = "input_tokens_details")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens_details: Option<CachedTokens>,
    /// OpenAI chat completions: cache reads, as part of the input.
    #[serde(rename = "prompt_tokens_details")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_tokens_details: Option<CachedTokens>,
    /// Gemini: all input except what its own tools gave. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_token_count: Option<f64>,
    /// Gemini: input from its own tools. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_use_prompt_token_count: Option<f64>,
    /// Gemini: cache reads, as part of the input. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_content_token_count: Option<f64>,
    /// Gemini: output without thoughts. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidates_token_count: Option<f64>,
    /// Gemini: thoughts. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thoughts_token_count: Option<f64>,
    /// Gemini: total. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_token_count: Option<f64>,
}

/// In OpenAI's counts: cache reads, as part of the input.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CachedTokens {
    /// Cache reads.
    #[serde(rename = "cached_tokens")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_tokens: Option<f64>,
}

/// Ids of the new entries.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EntryIds {
    /// Id of the model's message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Ids of the results, in their order. null if one has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_results: Option<Vec<Option<String>>>,
    /// Id of the newest user message in the answered list, or the ids of all that came since the last `turn_end`,
    /// oldest first. Since 1.1.
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

/// What the host should do now, and the state of the session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnEndResult {
    /// What the host should do. Usually empty.
    pub commands: Vec<Command>,
    /// State of the session after this call.
    pub status: Status,
    /// Number of the session's events that have taken effect. See reference.md#order.
    pub seq: i64,
    /// If the provider refused the list as too long: what to send next. `session_compact`: wait until the
    /// compaction that `commands` requests is done. `context`: the list without the failed reply, if no compaction
    /// can be requested. Otherwise absent. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub send: Option<AfterOverflow>,
}

/// Something the host should do. It is what ctxmgr would otherwise send as a request, but without an id, and the
/// host does not answer it.
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
    /// The session's id, as given to `session_start`. Any string.
    pub session_id: String,
    /// "threshold": the list has reached the red zone. "overflow": the provider refused it as too long.
    pub reason: CompactionReason,
    /// The zone.
    pub zone: Zone,
    /// Tokens of the list. null: unknown.
    pub tokens: Option<i64>,
    /// Where the red zone begins, in tokens.
    pub threshold: i64,
    /// The model's context window in tokens.
    pub context_window: i64,
    /// "whenIdle": when the agent has nothing to do. "now": only if "midRun" was declared.
    pub deliver: Delivery,
    /// The policy's instructions for every summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custom_instructions: Option<String>,
    /// A finished compaction that was written in advance. Apply it unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compaction: Option<Compaction>,
}

/// Why a compaction is requested.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CompactionReason {
    #[serde(rename = "threshold")]
    Threshold,
    #[serde(rename = "overflow")]
    Overflow,
    #[serde(untagged)]
    Other(String),
}

/// When to compact.
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
    /// Tokens of the list before the compaction.
    pub tokens_before: i64,
    /// Files, and how the summary was written. Store them with the entry, because later compactions read them.
    pub details: SummaryDetails,
}

/// Files, and how a summary was written.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SummaryDetails {
    /// Files that were read and not changed.
    pub read_files: Vec<String>,
    /// Files that were written or edited.
    pub modified_files: Vec<String>,
    /// How it was written, for people: strategy, calls, tokens spent, what went wrong.
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
    /// The session's id, as given to `session_start`. Any string.
    pub session_id: String,
    /// The host's own plan.
    pub preparation: HostPreparation,
    /// The whole session tree. With it, ctxmgr makes its own plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch_entries: Option<Vec<Entry>>,
    /// The last entry of the branch. Default: the last of `entries`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaf_id: Option<String>,
    /// The user's instructions for the summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custom_instructions: Option<String>,
    /// Why the host compacts, in its own word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Milliseconds until the answer is needed. Default: the policy's `deadlineMs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<f64>,
    /// Any token of the host. With one, `$/progress` reports the progress of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress_token: Option<ProgressToken>,
    /// The host's time, in milliseconds since the epoch. It shows whether the last request is still in the prompt
    /// cache. Default: the time of the newest message. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<f64>,
}

/// A compaction as the host has prepared it, in pi's names. Other members are ignored.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HostPreparation {
    /// The first entry that stays in the list.
    pub first_kept_entry_id: String,
    /// The messages to summarize.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages_to_summarize: Option<Vec<Message>>,
    /// If a turn is split: its messages before the cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_prefix_messages: Option<Vec<Message>>,
    /// The cut is inside a turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_split_turn: Option<bool>,
    /// Current tokens of the list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_before: Option<f64>,
    /// The previous compaction's summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_summary: Option<String>,
    /// `{read, written, edited}`: lists of paths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_ops: Option<Raw>,
    /// The host's own settings, if they matter here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings: Option<GivenSettings>,
}

/// A host's own settings of a compaction. Values that are not numbers count as absent.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GivenSettings {
    /// Tokens reserved for the reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reserve_tokens: Option<Raw>,
    /// Tokens of the newest messages that are kept.
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

/// `{}`: the host continues by itself. Otherwise one of the two members is present.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BeforeCompactResult {
    /// True: another compaction of this branch is being written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancel: Option<bool>,
    /// The compaction to apply instead of the host's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compaction: Option<Compaction>,
}

/// The compaction that the host made, whoever wrote its summary.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionCompactParams {
    /// The session's id, as given to `session_start`. Any string.
    pub session_id: String,
    /// The entry that the host wrote.
    pub compaction_entry: CompactionEntry,
    /// True if its summary was not the host's own.
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
    /// Its parent entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<String>,
    /// The first entry that stays in the list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_kept_entry_id: Option<String>,
    /// Tokens of the list before the compaction.
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

/// Why the host's compaction failed.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompactFailedParams {
    /// The session's id, as given to `session_start`. Any string.
    pub session_id: String,
    /// Why it was made, in the host's own word.
    pub reason: String,
    /// What went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
}

/// The move that the host is about to make.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BeforeTreeParams {
    /// The session's id, as given to `session_start`. Any string.
    pub session_id: String,
    /// The host's own plan for the move.
    pub preparation: TreePreparation,
    /// Milliseconds until the answer is needed. Default: the policy's `deadlineMs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<f64>,
    /// Any token of the host. With one, `$/progress` reports the progress of the call.
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
    /// The entry that the host goes to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_id: Option<String>,
    /// The entry that it leaves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_leaf_id: Option<String>,
    /// Where the two paths meet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub common_ancestor_id: Option<String>,
    /// No summary is written unless this is true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_wants_summary: Option<bool>,
    /// The user's instructions for the summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custom_instructions: Option<String>,
    /// True: `customInstructions` replaces the prompt's own instructions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replace_instructions: Option<bool>,
}

/// `{}`: the host continues by itself.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BeforeTreeResult {
    /// Not used yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancel: Option<bool>,
    /// The summary of the entries that are left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<BranchSummary>,
}

/// A finished branch summary.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BranchSummary {
    /// The summary.
    pub summary: String,
    /// Files, and how the summary was written. Store them with the entry.
    pub details: SummaryDetails,
}

/// Where the host has moved to in its session tree.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionTreeParams {
    /// The session's id, as given to `session_start`. Any string.
    pub session_id: String,
    /// The current entry. null before the first one.
    pub new_leaf_id: Option<String>,
    /// The previous entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_leaf_id: Option<String>,
    /// The summary of the branch that was left, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary_entry: Option<SummaryEntry>,
    /// The session tree. With it, facts are restored at once. Without it, they are restored as messages arrive.
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
    /// Its parent entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<String>,
    /// The last entry of the branch that it summarizes.
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

/// The session.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionParams {
    /// The session's id, as given to `session_start`. Any string.
    pub session_id: String,
}

/// The session, and what to include.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GetStatusParams {
    /// The session's id, as given to `session_start`. Any string.
    pub session_id: String,
    /// True: answer only when everything saved so far has reached the store, or cannot reach it now (see
    /// `durable`). Without a store, answer at once. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flush: Option<bool>,
    /// True: calculate `cache.coldCost`, which takes as long as an epoch. Ask while the session rests. It changes
    /// nothing. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cold_cost: Option<bool>,
}

/// Whether lists are changed.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SetPruningParams {
    /// The session's id, as given to `session_start`. Any string.
    pub session_id: String,
    /// False: lists are not changed. Ledger and snapshot continue.
    pub enabled: bool,
}

/// What pruning of tool output has done. Tokens are ctxmgr's own count.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PruneStats {
    /// Pruning is on.
    pub enabled: bool,
    /// Tokens that the last pass examined.
    pub scanned: i64,
    /// Tokens pruned so far.
    pub pruned: i64,
    /// Tokens that the last pass skipped because they are protected.
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
    /// Number of the session's events that have taken effect. See reference.md#order.
    pub seq: i64,
}

/// The current policy, and its values for the session's model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyResult {
    /// All keys with their values, including those for the session's model.
    pub policy: Policy,
    /// The policy in tokens.
    pub thresholds: Thresholds,
    /// Number of the session's events that have taken effect. See reference.md#order.
    pub seq: i64,
    /// Keys that only matter in some presets, and in which. All other keys matter in every preset. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presets: Option<BTreeMap<String, Vec<String>>>,
}

/// Tokens in the provider's count. A zone begins at its threshold.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Thresholds {
    /// The window minus the reserve. Pressure is a share of this.
    pub usable: f64,
    /// Where yellow begins.
    pub yellow: f64,
    /// Where red begins. From here on, a compaction is requested.
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
    /// The session's id, as given to `session_start`. Any string.
    pub session_id: String,
    /// Keys to set. Others stay as they are. null resets a key to its default.
    pub policy: PolicyKeys,
}

/// The current facts.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LedgerResult {
    /// In the order in which they came.
    pub facts: Vec<LedgerFact>,
    /// Number of the session's events that have taken effect. See reference.md#order.
    pub seq: i64,
}

/// One statement with its source and time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LedgerFact {
    /// Its kind. goal, current, constraint, decision, task, context. request: what the user said. said: how an
    /// assistant's turn ended. question: what the user answered to a tool, or rejected. command: a check that ran.
    /// value: a commit. file.
    pub slot: FactSlot,
    /// The statement.
    pub text: String,
    /// Who made it: user, assistant, tool, summary or branch.
    pub source: FactSource,
    /// For a task: open, active, done, blocked. For a file: read, written, edited, deleted. For a command: ok,
    /// failed, or unknown. For a question: rejected, if its text is a call or a plan that the user rejected. For a
    /// commit: the directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// The host's time, in milliseconds since the epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<i64>,
    /// For a command: what its output counted, or the line of its error. For a question: the answer. For a file:
    /// the tool that changed it. For a summary: its heading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The entry that it came from, if known.
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

/// The summaries of the session. The newest three of the branch are kept whole.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SummariesResult {
    /// Oldest first.
    pub summaries: Vec<HeardSummary>,
    /// Number of the session's events that have taken effect. See reference.md#order.
    pub seq: i64,
}

/// A summary that came by an event or in a list.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HeardSummary {
    /// What it summarizes: compaction or branch.
    pub kind: String,
    /// When it came, in milliseconds since the epoch.
    pub at: i64,
    /// Its entry, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry_id: Option<String>,
    /// Its text, unchanged. Absent if it is no longer kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Which packet.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GetPacketParams {
    /// The session's id, as given to `session_start`. Any string.
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
    /// Its tokens.
    pub tokens: i64,
    /// Number of the session's events that have taken effect. See reference.md#order.
    pub seq: i64,
}

/// The session, and an epoch.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExplainParams {
    /// The session's id, as given to `session_start`. Any string.
    pub session_id: String,
    /// The epoch whose receipt is wanted in full. Default: the newest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epoch: Option<i64>,
}

/// What happened to each message of the last list.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExplainResult {
    /// In the order of the list. Inserted messages come first.
    pub verdicts: Vec<Verdict>,
    /// The receipts that are kept, oldest first.
    pub epochs: Vec<EpochReceipt>,
    /// Number of the session's events that have taken effect. See reference.md#order.
    pub seq: i64,
    /// All pins of the session, oldest first. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pins: Option<Vec<HeldPin>>,
}

/// What happened to one message. Token counts are ctxmgr's own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    /// Its index in the host's list. null for what ctxmgr inserted.
    pub index: Option<i64>,
    /// A digest of the message, independent of its position.
    pub digest: String,
    /// What happened to it.
    pub verdict: VerdictKind,
    /// Why.
    pub rule: String,
    /// Its tokens as it came.
    pub before: i64,
    /// Its tokens in the list to send.
    pub after: i64,
    /// Its first call or result as the tool and its key arguments, or what the message is, for example `user text`.
    /// Secrets are shown as `[masked]`. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
}

/// What happened to a message.
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

/// What one epoch did, and its arithmetic.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EpochReceipt {
    /// Its number.
    pub epoch: i64,
    /// Why it was opened: price, cold, red, forced, compaction, tree, model, policy, pin, undo, rewritten.
    pub opening: String,
    /// Tokens of the list to send without this epoch.
    pub before: i64,
    /// Tokens of the list to send with it.
    pub after: i64,
    /// What it costs and what it saves, in one line.
    pub arithmetic: String,
    /// How many things were removed.
    pub count: i64,
    /// The call's time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<i64>,
    /// What was removed, in the order of the list. Present for one epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<Vec<Left>>,
    /// How many more were removed that are not listed: the smallest ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub omitted: Option<i64>,
    /// What it did, for people. Example: "removed 12 old results, 17,000 tokens; pays after 3 calls". Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Number of calls after which it has saved what it cost. 0: at once. Absent if it saves nothing, or if this is
    /// unknown. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pays_after: Option<i64>,
}

/// One thing that was removed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Left {
    /// What was done to it. `shortened`: the arguments of a call.
    pub kind: LeftKind,
    /// The tool and its key arguments, or what the message was. Secrets are shown as `[masked]`.
    pub call: String,
    /// The rule that decided.
    pub why: String,
    /// Its tokens as it came.
    pub before: i64,
    /// Its tokens now.
    pub after: i64,
    /// The digest of its message, to pin it by.
    pub digest: String,
    /// The handle for `retrieve`. null without an archive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
}

/// What was done to something at an epoch. `shortened`: the arguments of a call.
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

/// A pin, and what it keeps. `unpin` takes `{by: value}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HeldPin {
    /// What the pin names.
    pub by: PinBy,
    /// The digest, call id, path or tool.
    pub value: String,
    /// Number of messages of the last list that it keeps.
    pub messages: i64,
    /// As in a verdict, for the message that is pinned by digest or by call id. Otherwise null.
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

/// What the model asks for. Refused (-32803) if `capabilities.retrieve` was not declared. An unknown handle is
/// refused (-32602), with the call to make again in `data.call` if a receipt knows it.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RetrieveParams {
    /// The session's id, as given to `session_start`. Any string.
    pub session_id: String,
    /// The handle in the marker.
    pub handle: String,
    /// First character of the page. Default: 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<f64>,
    /// Most characters in the page. Default: 20,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<f64>,
}

/// One page of the original. Characters are Unicode code points of the original. A page with a masked secret may
/// have more or fewer. The tool result that brings it to the model is not pruned for two epochs. It is recognized
/// by the handle in the arguments of its call.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RetrieveResult {
    /// The page.
    pub text: String,
    /// Index of its first character. The end of the original, if `offset` was beyond it.
    pub offset: i64,
    /// The `offset` of the next page. null after the last one. (A length in UTF-16 units, as in JavaScript, would
    /// be too large.)
    pub next: Option<i64>,
    /// Characters in the whole original.
    pub total: i64,
    /// True: there are more pages.
    pub more: bool,
    /// The tool and its key arguments, or what the message was.
    pub call: String,
    /// Number of the session's events that have taken effect. See reference.md#order.
    pub seq: i64,
    /// True: this page has `[masked]` in place of a secret of a known shape, which was not stored (see the policy's
    /// `archive.keepSecrets`). Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub masked: Option<bool>,
}

/// What to look for in what was removed from this session. Refused (-32803) if nothing is archived.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchParams {
    /// The session's id, as given to `session_start`. Any string.
    pub session_id: String,
    /// Plain words, `"a phrase"`, `path:src/a.py`, `tool:bash`. Phrases, paths and tools are required. One of the
    /// words is enough. Identifiers and paths are found whole and by their parts. Every text is valid.
    pub query: String,
    /// Most hits, up to 50. Default: 10.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<f64>,
}

/// What was found. A search changes nothing: a hit does not count as retrieved.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchResult {
    /// Best first. Empty if nothing matches.
    pub hits: Vec<SearchHit>,
    /// Number of the session's events that have taken effect. See reference.md#order.
    pub seq: i64,
}

/// One original that was found. Secrets of known shapes match no query and are shown as `[masked]`.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchHit {
    /// The handle for `retrieve`.
    pub handle: String,
    /// Rank, 1 is the best. Ties are ordered by handle.
    pub rank: i64,
    /// The tool and its key arguments, or what the message was.
    pub call: String,
    /// The tool. null for a message.
    pub tool: Option<String>,
    /// The first argument that is a path. null without one.
    pub path: Option<String>,
    /// The epoch in which it was removed. null if no stored receipt lists it.
    pub epoch: Option<i64>,
    /// The passage with most of the words. Dots mark cuts.
    pub snippet: String,
    /// Character of the original at which the snippet begins, for `retrieve`.
    pub offset: i64,
    /// Characters in the original.
    pub total: i64,
}

/// What to keep unchanged: exactly one of `callId`, `digest`, `path` and `tool`. Pins survive compactions and
/// restarts. If a pin brings something back, the next `context` opens an epoch.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PinParams {
    /// The session's id, as given to `session_start`. Any string.
    pub session_id: String,
    /// A tool call by its id: the message with the call, and its result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// One message, by the digest from `explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Calls that name this file, with their results. May be a glob (`*` also matches `/`) or the end of a path:
    /// `src/*.py` matches `/home/me/src/a.py`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// All calls of this tool, with their results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
}

/// What was removed at this epoch comes back with the next `context`, and is pinned. An epoch without a stored
/// receipt is refused (-32602).
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UndoParams {
    /// The session's id, as given to `session_start`. Any string.
    pub session_id: String,
    /// Its number, from `report.epoch`.
    pub epoch: f64,
}

/// What to plan for: `entries`, or what the session knows.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanCompactionParams {
    /// The session, for its policy and token counts. Optional with `entries`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The host's session tree, oldest entry first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<Vec<Entry>>,
    /// The last entry of the branch. Default: the last of `entries`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaf_id: Option<String>,
    /// Settings for this call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings: Option<CutSettings>,
    /// The user's instructions for the summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custom_instructions: Option<String>,
    /// The format of the summary that the prompts ask for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<SummaryFormat>,
    /// True: the answer includes the conversation as text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub serialize: Option<bool>,
}

/// Settings for one call. Missing ones have the policy's value.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CutSettings {
    /// Copied to the answer's `settings`, otherwise unused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Tokens reserved for the reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reserve_tokens: Option<f64>,
    /// Tokens of the newest messages that are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_recent_tokens: Option<f64>,
    /// How these tokens are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weigher: Option<Weigher>,
    /// Context window of the model that writes the summary, in tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_window: Option<f64>,
}

/// What a compaction would summarize and keep.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanCompactionResult {
    /// The plan. null if there is nothing to compact.
    pub preparation: Option<Preparation>,
    /// The model calls that write the summary, in order.
    pub prompts: Vec<Prompt>,
    /// Why there is nothing to compact.
    pub reason: Option<String>,
    /// The conversation as text, if requested.
    pub serialized: Option<Serialized>,
}

/// A compaction before it is written, in pi's names. Messages are as the host has them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Preparation {
    /// The first entry that stays in the list. "" if no entry has an id: what follows the messages listed here
    /// stays.
    pub first_kept_entry_id: String,
    /// The messages to summarize.
    pub messages_to_summarize: Vec<Message>,
    /// If a turn is split: its messages before the cut.
    pub turn_prefix_messages: Vec<Message>,
    /// The cut is inside a turn.
    pub is_split_turn: bool,
    /// Current tokens of the list.
    pub tokens_before: i64,
    /// Files, by what was done to them.
    pub file_ops: FileOps,
    /// The settings that were used.
    pub settings: SettingsUsed,
    /// The previous compaction's summary, which this one continues.
    pub previous_summary: Option<String>,
}

/// Paths by what was done to them, including all earlier compactions.
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

/// The settings of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SettingsUsed {
    /// From the call or the policy.
    pub enabled: bool,
    /// Tokens reserved for the reply.
    pub reserve_tokens: i64,
    /// Tokens of the newest messages that are kept.
    pub keep_recent_tokens: i64,
    /// How these tokens were counted.
    pub weigher: Weigher,
}

/// One model call: one user message under a system prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Prompt {
    /// The purpose of the call.
    pub purpose: Purpose,
    /// The system prompt.
    pub system: String,
    /// The user message.
    pub prompt: String,
    /// The longest answer in tokens.
    pub max_tokens: i64,
}

/// The purpose of a model call.
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

/// Messages as text, in a form that a model does not continue as a conversation. Tool results are cut to 2,000
/// characters. The same as pi writes.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Serialized {
    /// What comes before the split turn.
    pub history: String,
    /// The part of that turn before the cut.
    pub turn_prefix: String,
}

/// As for `planCompaction`, and how to write the summary.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompactParams {
    /// The session, for its policy and token counts. Optional with `entries`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The host's session tree, oldest entry first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<Vec<Entry>>,
    /// The last entry of the branch. Default: the last of `entries`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaf_id: Option<String>,
    /// Settings for this call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings: Option<CutSettings>,
    /// The user's instructions for the summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custom_instructions: Option<String>,
    /// How the summary is written. Default: the policy's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strategy: Option<Strategy>,
    /// Format of the summary. Default: the policy's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<SummaryFormat>,
    /// Milliseconds until the answer is needed. Default: the policy's `deadlineMs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<f64>,
    /// Any token of the host. With one, `$/progress` reports the progress of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress_token: Option<ProgressToken>,
    /// The host's time, in milliseconds since the epoch. It shows whether the last request is still in the prompt
    /// cache. Default: the time of the newest message. Since 1.1.
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

/// The branch to leave: from `oldLeafId` back to where it meets the path of `targetId`.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SummarizeBranchParams {
    /// The entry that the host leaves. null if there is none.
    pub old_leaf_id: Option<String>,
    /// The entry that it goes to. null before the first one.
    pub target_id: Option<String>,
    /// The host's session tree, oldest entry first. Default: what the session has seen, by the ids that it was
    /// given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<Vec<Entry>>,
    /// The session, for its policy and token counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// Settings for this call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings: Option<CutSettings>,
    /// The user's instructions for the summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custom_instructions: Option<String>,
    /// True: `customInstructions` replaces the prompt's own instructions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replace_instructions: Option<bool>,
    /// How the summary is written. Default: the policy's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strategy: Option<Strategy>,
    /// Milliseconds until the answer is needed. Default: the policy's `deadlineMs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<f64>,
    /// Any token of the host. With one, `$/progress` reports the progress of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress_token: Option<ProgressToken>,
}

/// The summary of the branch that was left.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SummarizeBranchResult {
    /// The summary. null if no entry was left.
    pub summary: Option<BranchSummary>,
    /// Where the two paths meet. null if they do not.
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
    /// Its tokens.
    pub tokens: i64,
    /// Number of the session's events that have taken effect. See reference.md#order.
    pub seq: i64,
}

/// Edits of the model's own notes.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EditScratchpadParams {
    /// The session's id, as given to `session_start`. Any string.
    pub session_id: String,
    /// Applied in order, all or none.
    pub operations: Vec<ScratchpadOperation>,
}

/// One edit. `op` says which.
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

/// Replaces a text. The old text must occur exactly once.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StrReplace {
    /// The text to replace.
    pub old_text: String,
    /// The new text.
    pub new_text: String,
}

/// Inserts a text after a line.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Insert {
    /// The text.
    pub text: String,
    /// The line, from 1. 0: before the first line. Default: at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<f64>,
}

/// Replaces all notes.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Overwrite {
    /// The whole text.
    pub text: String,
}

/// Whether the host will compact. Answer at once, without waiting for the compaction.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequestCompactionResult {
    /// True: it is queued.
    pub accepted: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// One model call for the host to run: one user message with a system prompt, no tools. With an `instruction`: the
/// host's last request once more, with the instruction appended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompleteParams {
    /// The session. null if the request that needs the call named none.
    pub session_id: Option<String>,
    /// The purpose of the call.
    pub purpose: Purpose,
    /// The system prompt; "" with an `instruction`.
    pub system: String,
    /// The user message; "" with an `instruction`.
    pub prompt: String,
    /// The longest answer in tokens.
    pub max_tokens: i64,
    /// Only if `capabilities.completeOnContext` is declared. One user message to append to the session's last
    /// request and what came since (the reply, its results), with the same system prompt and the same tools. The
    /// model's answer must not become part of the session. If the answer cannot be used, for example because it is
    /// a tool call, ctxmgr asks again with a copy of the conversation in `prompt`. Since 1.1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instruction: Option<String>,
}

/// The model's answer. A failed call may also be answered with an error.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CompleteResult {
    /// The text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// "stop", "length", "toolUse", "error" or "aborted". Spellings of other APIs ("end_turn", "max_tokens",
    /// "tool_calls") are understood. Only "stop" counts as an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    /// `{input, output, cacheRead, cacheWrite}` in tokens. Other shapes are ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Raw>,
    /// What went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
}

/// Texts to convert to vectors with a model of the host.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EmbedParams {
    /// The session. null if the request that needs the call named none.
    pub session_id: Option<String>,
    /// The texts.
    pub texts: Vec<String>,
}

/// The vectors.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EmbedResult {
    /// One vector per text, in the same order, all of the same length.
    pub vectors: Vec<Vec<f64>>,
}

/// The progress of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProgressParams {
    /// The `progressToken` of the call.
    pub token: ProgressToken,
    /// The progress.
    pub value: ProgressValue,
}

/// One step of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ProgressValue {
    /// The stage of the call.
    pub kind: ProgressKind,
    /// What is being done, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// From 0 to 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percentage: Option<i64>,
}

/// The stage of a call.
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

/// Something that happened in a session. It contains nothing that a user, a model or a tool wrote.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TelemetryEvent {
    /// ctxmgr.list, ctxmgr.epoch, ctxmgr.compaction or ctxmgr.fallback. For usage that a host reported:
    /// gen_ai.client.inference.operation.details of the semantic conventions.
    pub name: String,
    /// Names from OpenTelemetry's semantic conventions for generative AI (`gen_ai.*`, `error.type`), and our own
    /// (`ctxmgr.*`). What the host itself sent is limited to the ids of session and model and the provider's name.
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

/// What went wrong. Its message never contains conversation text.
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
    /// JSON path below the params, for example `$.model.contextWindow`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// For `retrieve`: the call that produces the same again, for the model.
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

    /// Starts the connection. It must be the first message.
    pub struct Initialize;
    impl Request for Initialize {
        const NAME: &'static str = "initialize";
        type Params = InitializeParams;
        type Answer = InitializeResult;
    }

    /// Confirms that the host has read the answer of `initialize`.
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

    /// Cancels a request. Sent by the side that sent the request.
    pub struct CancelRequest;
    impl Notification for CancelRequest {
        const NAME: &'static str = "$/cancelRequest";
        type Params = CancelParams;
    }

    /// Returns all methods as an OpenRPC document.
    pub struct RpcDiscover;
    impl Request for RpcDiscover {
        const NAME: &'static str = "rpc.discover";
        type Params = NoParams;
        type Answer = DiscoverResult;
    }

    /// Starts a session, or continues it from its snapshot.
    pub struct SessionStart;
    impl Request for SessionStart {
        const NAME: &'static str = "session_start";
        type Params = SessionStartParams;
        type Answer = SessionStartResult;
    }

    /// Reports that the host now uses another model.
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

    /// Takes the message list before a model call, and returns the list to send.
    pub struct Context;
    impl Request for Context {
        const NAME: &'static str = "context";
        type Params = ContextParams;
        type Answer = ContextResult;
    }

    /// Reports that the model answered and its tools ran. Sent as a request, the answer contains commands.
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

    /// Reports that the host is about to compact. The answer is a finished compaction, or {} to leave it to the host.
    pub struct SessionBeforeCompact;
    impl Request for SessionBeforeCompact {
        const NAME: &'static str = "session_before_compact";
        type Params = BeforeCompactParams;
        type Answer = BeforeCompactResult;
    }

    /// Reports that the host has compacted.
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

    /// Reports that the host's compaction failed.
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

    /// Reports that the host is about to move in its session tree. The answer is a summary of the branch, or {} to
    /// leave it to the host.
    pub struct SessionBeforeTree;
    impl Request for SessionBeforeTree {
        const NAME: &'static str = "session_before_tree";
        type Params = BeforeTreeParams;
        type Answer = BeforeTreeResult;
    }

    /// Reports that the host has moved in its session tree.
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

    /// Ends the session. Its snapshot is kept.
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

    /// Returns the state of the session.
    pub struct GetStatus;
    impl Request for GetStatus {
        const NAME: &'static str = "getStatus";
        type Params = GetStatusParams;
        type Answer = Status;
    }

    /// Makes the next `context` prune tool output, ignoring the minimum. In preset balanced, it opens an epoch.
    pub struct Prune;
    impl Request for Prune {
        const NAME: &'static str = "prune";
        type Params = SessionParams;
        type Answer = StatusResult;
    }

    /// Turns changes of lists off or on. Ledger and snapshot continue.
    pub struct SetPruning;
    impl Request for SetPruning {
        const NAME: &'static str = "setPruning";
        type Params = SetPruningParams;
        type Answer = StatusResult;
    }

    /// Returns what pruning has done so far.
    pub struct GetPruneStats;
    impl Request for GetPruneStats {
        const NAME: &'static str = "getPruneStats";
        type Params = SessionParams;
        type Answer = PruneStats;
    }

    /// Returns the current policy.
    pub struct GetPolicy;
    impl Request for GetPolicy {
        const NAME: &'static str = "getPolicy";
        type Params = SessionParams;
        type Answer = PolicyResult;
    }

    /// Sets policy keys for this session. null resets a key to its default.
    pub struct SetPolicy;
    impl Request for SetPolicy {
        const NAME: &'static str = "setPolicy";
        type Params = SetPolicyParams;
        type Answer = PolicyResult;
    }

    /// Returns all current facts.
    pub struct GetLedger;
    impl Request for GetLedger {
        const NAME: &'static str = "getLedger";
        type Params = SessionParams;
        type Answer = LedgerResult;
    }

    /// Returns the summaries of the session, the newest ones unchanged.
    pub struct GetSummaries;
    impl Request for GetSummaries {
        const NAME: &'static str = "getSummaries";
        type Params = SessionParams;
        type Answer = SummariesResult;
    }

    /// Returns the packet as it would be now.
    pub struct GetPacket;
    impl Request for GetPacket {
        const NAME: &'static str = "getPacket";
        type Params = GetPacketParams;
        type Answer = PacketResult;
    }

    /// Returns a verdict for each message of the last list, with the rule and the token counts, and what each epoch
    /// did.
    pub struct Explain;
    impl Request for Explain {
        const NAME: &'static str = "explain";
        type Params = ExplainParams;
        type Answer = ExplainResult;
    }

    /// Returns the original of something that was removed, by the handle in its marker, page by page.
    pub struct Retrieve;
    impl Request for Retrieve {
        const NAME: &'static str = "retrieve";
        type Params = RetrieveParams;
        type Answer = RetrieveResult;
    }

    /// Searches what was removed by words, and returns the best hits with handles for `retrieve`.
    pub struct Search;
    impl Request for Search {
        const NAME: &'static str = "search";
        type Params = SearchParams;
        type Answer = SearchResult;
    }

    /// Keeps a message, a call with its result, everything about a path, or everything of a tool, unchanged.
    pub struct Pin;
    impl Request for Pin {
        const NAME: &'static str = "pin";
        type Params = PinParams;
        type Answer = StatusResult;
    }

    /// Removes a pin. What it kept may be removed at a later epoch.
    pub struct Unpin;
    impl Request for Unpin {
        const NAME: &'static str = "unpin";
        type Params = PinParams;
        type Answer = StatusResult;
    }

    /// Brings back what was removed at an epoch, and pins it.
    pub struct Undo;
    impl Request for Undo {
        const NAME: &'static str = "undo";
        type Params = UndoParams;
        type Answer = StatusResult;
    }

    /// Returns what a compaction would summarize and keep, and the prompts for the host's own model.
    pub struct PlanCompaction;
    impl Request for PlanCompaction {
        const NAME: &'static str = "planCompaction";
        type Params = PlanCompactionParams;
        type Answer = PlanCompactionResult;
    }

    /// Writes a compaction. The host applies it and sends `session_compact`.
    pub struct Compact;
    impl Request for Compact {
        const NAME: &'static str = "compact";
        type Params = CompactParams;
        type Answer = CompactResult;
    }

    /// Writes a summary of the branch that is left behind.
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

    /// Edits the model's own notes: str_replace, insert, overwrite. Applied in order, all or none.
    pub struct EditScratchpad;
    impl Request for EditScratchpad {
        const NAME: &'static str = "editScratchpad";
        type Params = EditScratchpadParams;
        type Answer = ScratchpadResult;
    }
}
