import type { JsonObject } from '../../core/text/json.ts'

/** The caller of a control, and its bounds. */
export interface ControlContext {
  /** How they sign (`decided_by`), and through what. */
  readonly actor: string
  readonly surface: string
  readonly signal: AbortSignal
  /** Told while it waits: one line for people. */
  readonly onProgress: (message: string) => void
  /**
   * The run whose agent uses it; `null` if none does. Tasks that it starts are its children, and never may do more than
   * it.
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
  readonly title: string
  /** For a model. */
  readonly description: string
  /** JSON Schema (2020-12) of an object. */
  readonly inputSchema: JsonObject
  readonly outputSchema: JsonObject
  /** As MCP's tool annotations. */
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
