import type { Hold } from '../../core/hold/hold.ts'
import { callText, type ReleasedCall, rowText } from '../../core/hold/hold-digests.ts'
import type { Json } from '../../core/text/json.ts'
import { wellFormed } from '../../core/text/kept-text.ts'
import type { Tool } from '../../ports/agent/tool.ts'
import type { Ids } from '../../ports/ids.ts'
import { boundSchema, declaredSchema, withoutArguments } from './bound-schema.ts'

/** P9: the fingerprint of what an approval releases, as the journal keeps it. */
export function callDigest(ids: Ids, call: ReleasedCall): string {
  return ids.digest(callText(wellFormed(call)))
}

interface CallNow {
  readonly arguments: Json
  readonly tool: Tool
  /** The digest of the preview that was shown. Default: there was none. */
  readonly preview?: string | null
}

/** The digest of the call as it would run now. */
export function digestNow(ids: Ids, { arguments: args, tool, preview = null }: CallNow): string {
  return callDigest(ids, { name: tool.name, arguments: args, schema: boundSchema(tool), preview })
}

/**
 * All digests that fit this call. The second binds no code of the tool, and the last ones do not know the arguments that
 * the tool has since: holds of an older Holdpoint have them.
 */
export function fittingDigests(ids: Ids, now: CallNow): readonly (string | null)[] {
  const { arguments: args, tool, preview = null } = now
  const declared = callDigest(ids, { name: tool.name, arguments: args, schema: declaredSchema(tool), preview })
  return [digestNow(ids, now), declared, ...before(ids, now)]
}

/** A call that uses an added argument was never asked about without it: its arguments differ. */
function before(ids: Ids, { arguments: args, tool, preview = null }: CallNow): readonly string[] {
  const { addedArguments: added } = tool
  if (!added) return []
  const older = { ...tool, inputSchema: withoutArguments(tool.inputSchema, added) }
  return [boundSchema(older), declaredSchema(older)].map(schema =>
    callDigest(ids, { name: tool.name, arguments: args, schema, preview }),
  )
}

/** The digest of the text that people were shown; the hold's file may have changed since. */
export function shownDigest(ids: Ids, hold: Hold): string | null {
  const text = rowText(hold, ids.digest)
  // A hold of an older version did not keep the schema.
  return text === null ? hold.digest : ids.digest(text)
}
