import type { MessageContent } from './message-content.ts'
import type { RunView } from './run-view.ts'

/**
 * Asked for the next user message, a text or parts, when the model stops with no call pending; `null` ends the run naturally. The signal is
 * aborted when the run stops, or when a message came from elsewhere: the provider is asked again after its answer.
 */
export type InputProvider = (view: RunView, signal: AbortSignal) => Promise<string | MessageContent | null>
