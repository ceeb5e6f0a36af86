/** The files that people write. `npm run build:documents` makes their JSON Schemas of these types. */
import type { Count } from '../../core/count.ts'
import type { EffectRules } from '../../core/effect/effect-rules.ts'
import type { DecidersSettings } from '../../core/people/deciders.ts'
import type { DueSettings } from '../../core/people/due.ts'
import type { Person, PersonOrGroup } from '../../core/people/groups.ts'
import type { Policy, Verdict } from '../../core/policy/policy.ts'
import type { ApprovalAnswers, HoldScope, PauseKind } from '../../core/run/profile.ts'
import type { StopCondition } from '../../core/run/stop-condition.ts'
import type { BoxWish } from '../../core/settings/box-wish.ts'
import type { ContextSettings } from '../../core/settings/context-settings.ts'
import type { OnIdle } from '../../core/settings/interactive-settings.ts'
import type { ModelWishes } from '../../core/settings/model-settings.ts'
import type { Prices } from '../../core/settings/prices.ts'
import type { NotifyDocument, PeopleDocument, PushDocument } from './notify-documents.ts'
import type { Retention } from './retention.ts'
import type { SignInDocument } from './sign-in-document.ts'

/**
 * The settings of a project: `.holdpoint/config.json`.
 * @dependentSchemas {"mcpServers": {"properties": {"mcp_servers": false}}}
 */
export interface ConfigDocument extends ModelWishes {
  /** The schema of this file, for editors. */
  readonly $schema?: string
  /**
   * `provider/model` or `script:FILE`, if no flag, agent or `HOLDPOINT_MODEL` names one.
   * @pattern ^[^\0]+$
   */
  readonly model?: string
  /**
   * `sqlite:PATH` or `postgres://…`, if neither `--store` nor `HOLDPOINT_STORE` names one.
   * @pattern ^[^\0]+$
   */
  readonly store?: string
  /**
   * The agent if `--agent` names none: a file, or the name of one in `.holdpoint/agents/`.
   * @pattern ^[^\0]+$
   */
  readonly agent?: string
  /** The pauses of new runs, unless a flag or the agent sets them. */
  readonly pause_on?: readonly PauseKind[]
  /**
   * What becomes of a call that policy asks about if its run does not pause for approval: it runs (default, with a
   * warning), or it is refused.
   */
  readonly unasked?: 'run' | 'refuse'
  /**
   * How many background agents run at once. More wait for their turn, in the order in which they were started. An agent
   * that another one starts waits for none. Default: without limit.
   */
  readonly max_concurrent?: Count
  /**
   * Whether commands start the daemon of the store in the background if an agent needs it: it waits for its turn, or for
   * a deadline without a process. Default: true.
   */
  readonly start_daemon?: boolean
  /** Whether a chat rings the terminal when something waits. Default: false. */
  readonly bell?: boolean
  /** What models cost, by name or by a glob over names, for `/cost` in a chat. The first that matches counts. */
  readonly prices?: Prices
  /** How long `holdpoint work` keeps finished sessions and tasks in which nothing happens. What waits is kept. */
  readonly retention?: Retention
  /** How long people have to decide, unless the hold, its tool or its agent sets it. Default: without limit. */
  readonly due?: DueSettings
  /**
   * The deciders, unless the tool or the agent sets them. Default: everybody but agents. An agent may only if it is
   * named, as `agent:NAME`, and never about its own holds.
   */
  readonly deciders?: DecidersDocument
  /** The people in each `@group`: names without the `@`, and the people in them. */
  readonly groups?: Readonly<Record<string, readonly Person[]>>
  /** How people are reached, by the names that deciders and assignees have. */
  readonly people?: PeopleDocument
  /** The channels on which people and programs hear of holds. */
  readonly notify?: NotifyDocument
  /** How browsers that subscribed at the page hear of holds while it is closed. */
  readonly push?: PushDocument
  /** How people sign in at `holdpoint serve` without a token. */
  readonly sign_in?: SignInDocument
  readonly mcp_servers?: ServersDocument
  readonly mcpServers?: ServersDocument
  /** The variables that commands and tasks of agents inherit. Default: all but Holdpoint's own secrets. */
  readonly environment?: EnvironmentDocument
  /** How the tool `fetch_url` works. */
  readonly fetch_url?: FetchDocument
  /** Of the boxes of commands that the policy calls `box`, in addition to what each box has. */
  readonly box?: Partial<BoxWish>
  /** How a long conversation is kept within the window of its model. */
  readonly context?: ContextSettings
  /**
   * Files that new runs read as instructions of the project: for each name the first one in the working directory and
   * above it. Default: `["AGENTS.md", "CLAUDE.md"]`. []: none.
   */
  readonly instructions_files?: readonly FileInProject[]
  /** How much a message or the result of a tool may bring. */
  readonly message_limits?: MessageLimitsDocument
  /**
   * How a text that answers an approval is read. `tolerant` (default) leaves open what is no clear yes or no; `strict`
   * takes all but yes, y, approve and approved for a no.
   */
  readonly approval_answers?: ApprovalAnswers
  /** Whether the processes of background agents stay while their runs wait, unless a flag or the agent sets it. */
  readonly interactive?: boolean
  /** How many seconds such a process stays without input or clients. Default: 300. 0: no limit. */
  readonly idle_timeout?: IdleTimeout
  /** The run ends then (default), or its process ends and a message starts the next one. */
  readonly on_idle?: OnIdle
}

/**
 * @minimum 0
 * @maximum 604800
 */
type IdleTimeout = number

/**
 * A user's own settings for all projects: `~/.config/holdpoint/config.json`.
 * @dependentSchemas {"mcpServers": {"properties": {"mcp_servers": false}}}
 */
export type UserConfigDocument = Pick<
  ConfigDocument,
  | '$schema'
  | keyof ModelWishes
  | 'model'
  | 'context'
  | 'instructions_files'
  | 'agent'
  | 'pause_on'
  | 'mcp_servers'
  | 'mcpServers'
>

/** @pattern ^(?![\\/~]|[A-Za-z]:|(.*[\\/])?\.\.([\\/]|$))[^\0]+$ */
type FileInProject = string

/** A list of people, or an object with further conditions. */
export type DecidersDocument = DecidersList | DecidersSettings

/** @minItems 1 */
type DecidersList = readonly PersonOrGroup[]

interface FetchDocument {
  /**
   * Hosts that it fetches although they are of this machine or of a private network: `wiki.corp`, or one port of it,
   * `localhost:8080`. Default: none.
   */
  readonly allow?: readonly HostName[]
}

/** @pattern ^([A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?$ */
type HostName = string

interface EnvironmentDocument {
  /**
   * Names of variables that commands inherit; `*` is any characters. PATH, HOME and the like are always passed on. []
   * passes on no others.
   */
  readonly pass: readonly VariableName[]
}

/** @pattern ^[^\s=]+$ */
type VariableName = string

interface MessageLimitsDocument {
  /** Default: 20. */
  readonly parts?: Count
  /** Largest text, image or file, in bytes. Default: 5242880 (5 MB). */
  readonly part_bytes?: Count
  /** Largest message with all of its parts, in bytes. Default: 20971520 (20 MB). */
  readonly total_bytes?: Count
}

/**
 * MCP servers by name; agents may use their tools as `server__tool`. In command, args, env, url and headers `${NAME}` and
 * `${NAME:-default}` are taken from the environment. `mcp_servers` and `mcpServers` are the same.
 * @propertyNames {"pattern": "^[a-zA-Z0-9-]+(_[a-zA-Z0-9-]+)*$", "maxLength": 32}
 */
export type ServersDocument = Readonly<Record<string, StdioServerDocument | HttpServerDocument>>

interface ServerDocument {
  /** Believe the server about its own tools: which are harmless, and which may be repeated. Default: false. */
  readonly trusted?: boolean
  readonly disabled?: boolean
  /**
   * How long a call may take without a sign of life. Default: 120.
   * @exclusiveMinimum 0
   * @maximum 86400
   */
  readonly timeout_seconds?: number
}

/** A process that is started in the project's directory. */
export interface StdioServerDocument extends ServerDocument {
  readonly type?: 'stdio'
  /** @pattern \S */
  readonly command: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** A server that is reached by streamable HTTP. */
export interface HttpServerDocument extends ServerDocument {
  readonly type?: 'http' | 'streamable-http' | 'streamableHttp'
  /** @pattern \S */
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Which tool calls run, ask a person, or never run: `.holdpoint/policy.json`. Rule with a match > exact tool name > tool
 * glob > the tool's own word > default; at equal rank the strictest wins.
 */
export interface PolicyFile {
  /** The schema of this file, for editors. */
  readonly $schema?: string
  /** The verdict on tools without another rule. Default: prompt. */
  readonly default?: VerdictWord
  /** By tool name, or by a glob over names (`deploy_*`). */
  readonly tools?: Readonly<Record<string, VerdictWord>>
  readonly rules?: readonly RuleDocument[]
  /** The way with a call that is `never`: ask a person to override (default), or refuse at once. */
  readonly on_never?: Policy['on_never']
  /** `auto`: commands that only read what lies in the directory of the run need no rule. Default: they do. */
  readonly reads?: 'auto' | 'prompt'
  /** Refuse to start a run if a line names no tool, no argument, or can match no call. Default: warn of it. */
  readonly strict?: boolean
  /**
   * `observe`: a call about which a person would be asked runs, and the run reports it. `never` still refuses. Default:
   * people are asked.
   */
  readonly mode?: 'ask' | 'observe'
  /** What calls may do to files and hosts without a question. Default: each effect of a command in a box is asked about. */
  readonly effects?: EffectsDocument
}

/** Paths are globs as in `.gitignore`, below the directory of the run: the last one that covers a path decides. */
export interface EffectsDocument {
  /** What may be created and changed without a question, by commands in a box and by file tools. Default: nothing. */
  readonly write?: readonly PathPattern[]
  /** What commands in a box may delete without a question. Default: nothing. */
  readonly delete?: readonly PathPattern[]
  /** What no call changes or reads: it is not there for commands in a box. Default: nothing. */
  readonly never?: readonly PathPattern[]
  /**
   * `name[:port]` that commands in a box may connect to, 80 and 443 without a port, `:*` for any; `*.name` is all below it,
   * and `!name` is refused without a question. Default: none.
   */
  readonly hosts?: readonly HostPattern[]
  /** `commit`: git may write its history and its index without a question. Default: `ask`. */
  readonly git?: EffectRules['git']
  /** `rerun`: a command whose files changed meanwhile runs again. Default: `ask`. */
  readonly drift?: EffectRules['drift']
}

/** @pattern \S */
type PathPattern = string

/** @pattern \S */
type HostPattern = string

export type VerdictWord = Verdict | 'AutoApprove' | 'Prompt' | 'Never'

export interface RuleDocument {
  /**
   * A tool's whole name, or a glob over it.
   * @minLength 1
   */
  readonly tool: string
  /**
   * Argument name to glob; every one must match.
   * @minProperties 1
   */
  readonly match: Readonly<Record<string, string>>
  readonly policy: VerdictWord
}

/** The front matter of an agent in Markdown. The text below it is its instructions. */
export interface AgentFrontMatter extends ModelWishes {
  /**
   * Default: the name of the file.
   * @pattern ^[\w.-]{1,64}$
   */
  readonly name?: string
  /** `provider/model`, or `script:FILE`. */
  readonly model?: string | null
  /** Names of tools, as a list or as a text with commas. Default: all built-in tools. */
  readonly tools?: string | readonly string[]
  readonly policy?: PolicyFile
  readonly stop?: readonly StopCondition[] | null
  readonly pause_on?: readonly PauseKind[] | null
  readonly hold_scope?: HoldScope | null
  /** How many calls of a batch may run at the same time. */
  readonly max_concurrent_calls?: Count | null
  /** How a long conversation is kept within the window of the model. */
  readonly context?: ContextSettings
  readonly due?: DueSettings
  readonly deciders?: DecidersDocument
  /** Whether the process stays while the run waits, in the background. */
  readonly interactive?: boolean | null
  /** How many seconds that process stays without input or clients. Default: that of the project. 0: no limit. */
  readonly idle_timeout?: IdleTimeout | null
  readonly on_idle?: OnIdle | null
}
