import type { ApprovalAnswer } from '../../core/hold/approval-answer.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/text/json.ts'
import type { CommentPlace } from './github-deps.ts'

/** A comment that a person has just written. */
export interface IssueComment {
  readonly place: CommentPlace
  readonly login: string
  readonly body: string
  /** Milliseconds since 1970. */
  readonly at: number
}

/**
 * `null` if the event is another one, or if it is no word of a person: an edited comment may be one of its editor, and one
 * that an app wrote with the rights of a person is one of the app.
 * @see https://docs.github.com/en/webhooks/webhook-events-and-payloads#issue_comment
 */
export function readIssueComment(event: string | null, payload: Json): IssueComment | null {
  if (event !== 'issue_comment' || !isJsonObject(payload) || payload['action'] !== 'created') return null
  const comment = object(payload, 'comment')
  const [author, sender] = [object(comment, 'user'), object(payload, 'sender')]
  if (
    author['type'] !== 'User' ||
    author['id'] !== sender['id'] ||
    (comment['performed_via_github_app'] ?? null) !== null
  )
    return null
  const read = {
    repository: object(payload, 'repository')['full_name'],
    number: object(payload, 'issue')['number'],
    comment: comment['id'],
    ...{ login: author['login'], body: comment['body'], at: Date.parse(String(comment['created_at'])) },
  }
  const { repository, number, comment: id, login, body, at } = read
  const isWhole = typeof repository === 'string' && typeof login === 'string' && typeof body === 'string'
  if (!isWhole || typeof number !== 'number' || typeof id !== 'number' || Number.isNaN(at)) return null
  return { place: { repository, number, comment: id }, login, body, at }
}

function object(from: JsonObject, key: string): JsonObject {
  const value = from[key]
  return isJsonObject(value) ? value : {}
}

/** A line of a comment with a decision on a hold. */
export interface CommentCommand {
  readonly hold_id: string
  readonly verdict: Exclude<ApprovalAnswer['verdict'], 'unclear'> | 'answer'
  /** The reason of a rejection, the answer, or the thing of an override; empty if there is none. */
  readonly text: string
}

const COMMAND = /^\/(approve|deny|reject|answer)(?:\s+(hold_\w+))?(?:\s+([\s\S]+))?$/
const VERDICTS: Readonly<Record<string, CommentCommand['verdict']>> = {
  approve: 'approve',
  deny: 'reject',
  reject: 'reject',
  answer: 'answer',
}

/**
 * The commands of a comment; `null` if it has none, and `unclear` if it may have meant some. P1: an approval is never
 * guessed. Each line is a command on a hold of its own, or the whole comment is one command and its text.
 */
export function readCommands(body: string): readonly CommentCommand[] | 'unclear' | null {
  const said = body.trim()
  if (!/^\s*\/(approve|deny|reject|answer)\b/m.test(said)) return null
  const lines = said.split('\n').map(line => line.trim())
  const each = lines.filter(line => line !== '').map(readCommand)
  if (each.every(command => command !== null)) return isOnceEach(each) ? each : 'unclear'
  const whole = readCommand(said)
  return whole && whole.verdict !== 'approve' && !hasSecond(said) ? [whole] : 'unclear'
}

/** An approval may name the thing of an override. With more words it may be one on conditions. */
function readCommand(text: string): CommentCommand | null {
  const [, name = '', hold_id, more = ''] = COMMAND.exec(text) ?? []
  const verdict = VERDICTS[name]
  if (verdict === undefined || hold_id === undefined) return null
  if (verdict === 'approve' ? /\s/.test(more.trim()) : verdict === 'answer' && more === '') return null
  return { hold_id, verdict, text: more.trim() }
}

function isOnceEach(commands: readonly CommentCommand[]): boolean {
  return new Set(commands.map(({ hold_id }) => hold_id)).size === commands.length
}

function hasSecond(text: string): boolean {
  return (text.match(/^\s*\/(approve|deny|reject|answer)\b/gm) ?? []).length > 1
}
