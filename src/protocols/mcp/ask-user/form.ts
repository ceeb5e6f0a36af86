import type { ElicitRequestFormParams } from '@modelcontextprotocol/server'
import type { Json } from '../../../core/text/json.ts'

/** The form that a client shows to its person. */
export type Form = ElicitRequestFormParams['requestedSchema']
/** The content from the client, unchecked. */
export type Filled = Readonly<Record<string, Json>>
