/** P9: the texts over which the digests of a hold are taken. */
import { canonicalJson, type Json, type JsonObject } from '../text/json.ts'
import type { NewHold } from './hold.ts'

/** Of what an approval releases: tool, schema and arguments, in canonical form. */
export function callText(call: { name: string; arguments: Json; schema: JsonObject | null }): string {
  return canonicalJson({ tool: call.name, schema: call.schema, arguments: call.arguments })
}

/** Of what stays as it was opened: what was asked, of whom, and what time does to it. */
export function termsText(hold: Omit<NewHold, 'id' | 'run_id'>): string {
  const { message, context, choices, response_schema, resume_mode } = hold
  const { destructive, overrides_never, deciders, requesters, on_due, remind_at, escalation, finally: last } = hold
  const terms = {
    ...{ message, context, choices, response_schema, resume_mode, destructive, overrides_never },
    ...{ deciders, requesters },
    ...{ on_due, remind_at, escalation, finally: last },
  }
  return canonicalJson(JSON.parse(JSON.stringify(terms)) as Json)
}
