import { DatabaseSync } from 'node:sqlite'
import { expect } from 'vitest'
import type { Project } from './project.ts'

export interface Written {
  readonly seq: number
  readonly kind: string
  // biome-ignore lint/suspicious/noExplicitAny: events are checked by the tests that read them
  readonly data: any
}

/** Every event in the store's file, oldest first; empty where nothing was stored yet. */
export function journalOf(project: Project): Written[] {
  if (!project.exists('.holdpoint', 'holdpoint.db')) return []
  using database = new DatabaseSync(project.path('.holdpoint', 'holdpoint.db'))
  if (database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'events'").get() === undefined) return []
  return database
    .prepare('SELECT place, kind, data FROM events ORDER BY place')
    .all()
    .map(({ place, kind, data }) => ({
      seq: Number(place) % 2 ** 22,
      kind: String(kind),
      data: JSON.parse(String(data)),
    }))
}

// biome-ignore-start lint/suspicious/noExplicitAny: messages come from JSON
/** P5: each call of an assistant message has exactly one result, in call order, with nothing in between. */
export function expectOneResultPerCall(messages: readonly any[], about = ''): void {
  const ids = messages.flatMap(message => message.tool_calls ?? []).map(call => call.id)
  expect(new Set(ids).size, about).toBe(ids.length)
  for (let at = 0; at < messages.length; at += 1) {
    const calls = (messages[at].tool_calls ?? []).map((call: any) => call.id)
    const results = messages.slice(at + 1, at + 1 + calls.length).map(message => message.tool_call_id)
    expect(results, about).toEqual(calls)
    expect(messages[at + 1 + calls.length]?.role, about).not.toBe('tool')
    at += calls.length
  }
  expect(messages[0]?.role, about).toBe('user')
}
// biome-ignore-end lint/suspicious/noExplicitAny: the end of the messages
