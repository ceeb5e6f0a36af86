/** P9: the texts over which the digests of a hold are taken. */

import { previewText } from '../preview/preview.ts'
import { canonicalJson, type Json, type JsonObject } from '../text/json.ts'
import type { Hold, NewHold } from './hold.ts'

/** The parts of a call to which an approval is bound. */
export interface ReleasedCall {
  readonly name: string
  readonly arguments: Json
  readonly schema: JsonObject | null
  /** The digest of the preview that was shown. Default: there was none. */
  readonly preview?: string | null
}

/**
 * The text of an approval's digest, in canonical form. The preview is left out if there is none: that keeps digests of
 * older holds.
 */
export function callText({ name, schema, arguments: args, preview = null }: ReleasedCall): string {
  return canonicalJson({ tool: name, schema, arguments: args, ...(preview !== null && { preview }) })
}

/**
 * The text for the call in a row; `null` if the row is about no call, or did not keep the schema (an older version).
 */
export function rowText(
  { tool, tool_schema: schema, arguments: args, preview }: Pick<Hold, 'tool' | 'tool_schema' | 'arguments' | 'preview'>,
  digest: (text: string) => string,
): string | null {
  if (tool === null || schema === null) return null
  return callText({ name: tool, arguments: args, schema, preview: preview ? digest(previewText(preview)) : null })
}

/**
 * The value that the next run of a tool may confirm: the basis that it named, or else the context that people were
 * shown.
 */
export function shownBasis({
  basis,
  context,
}: {
  readonly basis?: Json | undefined
  readonly context?: Json | undefined
}): Json {
  return basis ?? context ?? null
}

/** The text of that value; `null` if no tool receives it. */
export function basisText(hold: Pick<Hold, 'resume_mode' | 'basis' | 'context'>): string | null {
  const shown = shownBasis(hold)
  return hold.resume_mode === 'pass_decision_to_tool' && shown !== null ? canonicalJson(shown) : null
}

/** The text of a hold's fixed terms: the request, its addressees, and its deadlines. */
export function termsText(hold: Omit<NewHold, 'id' | 'run_id'>): string {
  const { message, context, basis, choices, response_schema, resume_mode, refused_before, not_by_time, started } = hold
  const {
    called_before,
    destructive,
    overrides_never,
    deciders,
    requesters,
    on_due,
    remind_at,
    escalation,
    finally: last,
  } = hold
  const terms = {
    ...{ message, context, basis, choices, response_schema, resume_mode, destructive, overrides_never },
    ...{ refused_before, started, called_before },
    ...{ deciders, requesters },
    ...{ on_due, remind_at, escalation, finally: last, not_by_time },
  }
  return canonicalJson(JSON.parse(JSON.stringify(terms)) as Json)
}
