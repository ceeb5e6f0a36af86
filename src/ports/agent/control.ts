import type { Role } from '../../core/people/role.ts'
import type { JsonObject } from '../../core/text/json.ts'

/** The caller of a control, and its limits. */
export interface ControlContext {
  /** How the caller signs (`decided_by`), and through what. */
  readonly actor: string
  readonly surface: string
  /** False if the caller may edit a call no further than the original request reaches. Default: true. */
  readonly editor?: boolean
  readonly signal: AbortSignal
  /** Called with one line for people while the control waits. */
  readonly onProgress: (message: string) => void
  /**
   * The run whose agent uses the control; `null` if none does. Tasks that it starts are its children, and never may do
   * more than the run.
   */
  readonly runId: string | null
  /**
   * Policy has ruled on this use, as on every call of a tool, and so have people if it asks them. Default: it has not.
   */
  readonly isGated?: true
}

/**
 * One of the verbs by which agents, people and pipelines supervise tasks and holds (docs/design/tasks.md#verbs, P8). Defined once,
 * offered as a tool to agents and by MCP.
 */
export interface Control {
  readonly name: string
  /** The least role of a caller over MCP. Default: `admin`. */
  readonly role?: Role
  readonly title: string
  /** The description for a model. */
  readonly description: string
  /** JSON Schema (2020-12) of an object. */
  readonly inputSchema: JsonObject
  readonly outputSchema: JsonObject
  /** MCP's tool annotations. */
  readonly hints: {
    readonly readOnly: boolean
    readonly destructive: boolean
    readonly idempotent: boolean
    readonly openWorld: boolean
  }
  /** Arguments that fit `inputSchema`. @throws RefusedError; then nothing was changed. */
  call(args: JsonObject, context: ControlContext): Promise<JsonObject>
}

/** Gives an agent its controls when it is loaded and names one of them. */
export type OpenControls = () => Promise<readonly Control[]>
