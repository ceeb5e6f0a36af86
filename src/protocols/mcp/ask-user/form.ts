import type { ElicitRequestFormParams } from '@modelcontextprotocol/server'
import type { Json } from '../../../core/text/json.ts'

/** What a client shows to its person. */
export type Form = ElicitRequestFormParams['requestedSchema']
/** What they filled in, as it comes from the client: checked by nobody. */
export type Filled = Readonly<Record<string, Json>>
