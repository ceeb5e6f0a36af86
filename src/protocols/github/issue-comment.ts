import { isJsonObject, type Json, type JsonObject } from '../../core/text/json.ts'
import type { CommentPlace } from './github-site.ts'

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
