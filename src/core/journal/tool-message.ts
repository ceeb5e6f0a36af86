import type { Decision, DecisionVerdict } from '../hold/decision.ts'
import type { ContentPart } from '../message/part.ts'
import type { ToolCall } from '../run/tool-call.ts'
import { isJsonObject, type Json } from '../text/json.ts'
import type { Comment, ToolMessage } from './message.ts'
import type { HoldState } from './thread.ts'

/**
 * The result of a call as the model sees it, with people's changes and comments. `holds` are those of the call, the
 * newest last.
 */
export function toolMessage(call: ToolCall, holds: readonly HoldState[]): ToolMessage {
  // The newest edit: a call that changed after it was edited is asked about again.
  const edit = holds.findLast(({ decision }) => decision?.verdict === 'edit')?.decision ?? null
  const comments = holds.flatMap(commentsOn)
  const isNoted = edit !== null || comments.length > 0
  const result = call.error ? `${call.error.code}: ${call.error.message}` : call.output
  const content = isNoted ? noted(call, { edit, comments, result }) : result
  return {
    role: 'tool',
    tool_call_id: call.id,
    tool_name: call.name,
    content,
    ...(call.parts && !call.error && { parts: isNoted ? notedParts(call.parts, content) : call.parts }),
    ...(comments.length > 0 && { comments }),
    is_error: call.error !== null,
  }
}

/** The result without the note: for programs that read it. */
export function resultIn({ content, comments }: Pick<ToolMessage, 'content' | 'comments'>): Json {
  if (!isJsonObject(content)) return content
  const isEdited = 'original_arguments' in content && ('executed_arguments' in content || 'edited_arguments' in content)
  return comments !== undefined || isEdited ? (content['result'] ?? null) : content
}

function notedParts(parts: readonly ContentPart[], note: Json): readonly ContentPart[] {
  return [{ type: 'text', text: JSON.stringify(note) }, ...parts.filter(({ type }) => type !== 'text')]
}

const RAN = 'the result is that of the executed arguments.'
const DID_NOT_RUN = 'it did not run with them.'

interface Notes {
  readonly edit: Decision | null
  readonly comments: readonly Comment[]
  readonly result: Json
}

/** Keeps people's words apart from the result, whose words are not theirs. */
function noted(call: ToolCall, { edit, comments, result }: Notes): Json {
  const hasRun = call.attempt > 0
  const edited = `${edit?.decided_by} approved this call with other arguments; ${hasRun ? RAN : DID_NOT_RUN}`
  const note = [...(edit ? [edited] : []), ...comments.map(({ by, did, text }) => `${by} ${did} and said: ${text}`)]
  return {
    note: note.join('\n'),
    ...(edit && {
      original_arguments: call.arguments,
      [hasRun ? 'executed_arguments' : 'edited_arguments']: call.final_arguments,
    }),
    result,
  }
}

/** A verdict in words; `null`: the result has the reason already. */
const DID: Readonly<Record<DecisionVerdict, string | null>> = {
  approve: 'approved this call',
  edit: 'changed its arguments',
  respond: 'answered',
  reject: null,
  cancel: null,
}

/** The comments of people with their decisions. A deadline that passed has none. */
function commentsOn({ decision, resume_mode, votes = [] }: HoldState): Comment[] {
  const decisions = [...votes, ...(decision ? [decision] : [])]
  return decisions.flatMap(({ verdict, decided_by: by, surface, reason }) => {
    const did = DID[verdict]
    const isResult = resume_mode === 'use_decision_as_tool_result' && verdict !== 'respond'
    if (did === null || isResult || surface === 'deadline' || !reason?.trim()) return []
    return [{ by, did, text: reason }]
  })
}
