/** Messages that Slack and GitHub take, refuse, lose and change. */
import { expect, test } from 'vitest'
import type { Notice } from '../../../src/core/notice/notice.ts'
import { noticeText } from '../../../src/core/notice/notice-text.ts'
import type { Hold, Json } from '../../../src/index.ts'
import { GitHubApi } from '../../../src/notifiers/github/github-api.ts'
import { GitHubNotifier } from '../../../src/notifiers/github/github-notifier.ts'
import { SlackApi } from '../../../src/notifiers/slack/slack-api.ts'
import { SlackNotifier } from '../../../src/notifiers/slack/slack-notifier.ts'
import type { Notifier } from '../../../src/ports/notifier.ts'
import { GITHUB_TOKEN, GitHub, REPOSITORY } from './github-server.ts'
import { aHeldStore, type HeldStore } from './held-store.ts'
import { BOT_TOKEN, labelsOf, Slack, textOf } from './slack-server.ts'
import type { Fault, WireServer } from './wire-server.ts'

interface Subject extends AsyncDisposable {
  readonly wire: WireServer
  readonly notifier: Notifier
  readonly store: HeldStore
  readonly address: string
  /** The end of the path that a message is posted to. */
  readonly post: string
  /** All messages as people read them, oldest first. */
  read(): readonly string[]
}

async function inSlack(): Promise<Subject> {
  const [slack, store] = [await Slack.open(), await aHeldStore()]
  const notifier = new SlackNotifier(new SlackApi({ token: BOT_TOKEN, url: slack.api }), { hasButtons: true })
  return {
    ...{ wire: slack.wire, notifier, store, address: 'U0ANA', post: 'chat.postMessage' },
    read: () => slack.messages.map(each => [textOf(each.blocks), ...labelsOf(each)].join('\n')),
    [Symbol.asyncDispose]: async () => {
      await slack[Symbol.asyncDispose]()
      await store[Symbol.asyncDispose]()
    },
  }
}

async function onGitHub(): Promise<Subject> {
  const [github, store] = [await GitHub.open(), await aHeldStore()]
  const notifier = new GitHubNotifier(new GitHubApi({ token: GITHUB_TOKEN, url: github.api, now: () => Date.now() }), {
    loginOf: person => LOGINS[person] ?? null,
  })
  return {
    ...{ wire: github.wire, notifier, store, address: `${REPOSITORY}#7`, post: 'issues/7/comments' },
    read: () => github.comments.map(({ body }) => body),
    [Symbol.asyncDispose]: async () => {
      await github[Symbol.asyncDispose]()
      await store[Symbol.asyncDispose]()
    },
  }
}

const LOGINS: Readonly<Record<string, string>> = { ana: 'ana', ben: 'ben-at-work' }

const CHANNELS = [
  ['Slack', inSlack],
  ['GitHub', onGitHub],
] as const

const context = (ms = 10_000) => ({ signal: AbortSignal.timeout(ms), earlier: null })

function noticeOf(hold: Hold): Notice {
  const occasion = { event: 'opened', about: '', person: null, now: Date.now(), result: null } as const
  return {
    ...{
      id: `notice_${hold.id}`,
      event: 'opened',
      at: hold.opened_at,
      person: null,
      hold,
      result: null,
      holds: [],
      run: null,
      url: null,
    },
    text: noticeText(hold, occasion),
  }
}

test.each(CHANNELS)('%s: a message is changed to who decided, and nothing is left to press', async (_, open) => {
  await using subject = await open()
  const hold = await subject.store.hold('refund')
  const sent = await subject.notifier.send(noticeOf(hold), subject.address, context())
  await subject.store.holdpoint.decide(hold.id, { verdict: 'approve', decided_by: 'ana', surface: 'cli' })
  await subject.notifier.settle?.(sent, noticeOf(await subject.store.now(hold)), context())
  const [read, ...others] = subject.read()
  expect(others).toEqual([])
  expect(read).toContain('approved by ana')
  expect(read).not.toMatch(/Approve\b|\/approve/)
})

test.each(CHANNELS)('%s: a message whose answer was cut off is found again, and is not sent twice', async (_, open) => {
  await using subject = await open()
  const [hold, other] = [await subject.store.hold('refund'), await subject.store.hold('refund')]
  const notice = noticeOf(hold)
  expect(await subject.notifier.find?.(notice, subject.address, context())).toBeNull()
  await subject.notifier.send(noticeOf(other), subject.address, context())
  subject.wire.fail(subject.post, 'cut')
  await expect(subject.notifier.send(notice, subject.address, context())).rejects.toMatchObject({ retry: 'later' })
  const found = await subject.notifier.find?.(notice, subject.address, context())
  if (!found) throw new TypeError('it was not found')
  await subject.notifier.settle?.(found, { ...notice, text: { ...notice.text, outcome: 'withdrawn' } }, context())
  expect(subject.read()).toHaveLength(2)
  expect(subject.read()[1]).toContain('withdrawn')
})

test.each(CHANNELS)('%s: a message that was deleted meanwhile needs no change', async (_, open) => {
  await using subject = await open()
  const hold = await subject.store.hold('refund')
  const gone: Readonly<Record<string, Json>> = { channel: 'C0OPS', ts: '1.2', repository: REPOSITORY, comment: 1 }
  expect(await subject.notifier.settle?.(gone, noticeOf(hold), context())).toEqual(gone)
})

const answer = (status: number, body: object, headers: Readonly<Record<string, string>> = {}): Fault => ({
  ...{ status, headers, body: JSON.stringify(body) },
})

test.each([
  ['Slack', inSlack, answer(429, {}, { 'retry-after': '17' }), { after_ms: 17_000 }],
  ['Slack', inSlack, answer(200, { ok: false, error: 'invalid_blocks' }), 'never'],
  ['Slack', inSlack, answer(200, { ok: false, error: 'is_archived' }), 'address_off'],
  ['Slack', inSlack, answer(200, { ok: false, error: 'invalid_auth' }), 'later'],
  ['Slack', inSlack, answer(503, {}), 'later'],
  ['Slack', inSlack, { status: 200, body: '<html>' }, 'later'],
  ['Slack', inSlack, { status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: '' }, 'later'],
  ['Slack', inSlack, 'dropped', 'later'],
  ['GitHub', onGitHub, answer(429, {}, { 'retry-after': '17' }), { after_ms: 17_000 }],
  ['GitHub', onGitHub, answer(403, { message: 'secondary rate limit' }, { 'retry-after': '60' }), { after_ms: 60_000 }],
  ['GitHub', onGitHub, answer(422, { message: 'Validation Failed' }), 'never'],
  ['GitHub', onGitHub, answer(401, { message: 'Bad credentials' }), 'later'],
  ['GitHub', onGitHub, answer(500, {}), 'later'],
  ['GitHub', onGitHub, 'dropped', 'later'],
] as const)('%s: an answer that is no success says when to try again: %#', async (_, open, fault, retry) => {
  await using subject = await open()
  const notice = noticeOf(await subject.store.hold('refund'))
  subject.wire.fail(subject.post, fault as Fault)
  await expect(subject.notifier.send(notice, subject.address, context())).rejects.toMatchObject({ retry })
  expect(subject.read()).toEqual([])
})

test.each(CHANNELS)('%s: a server that hangs holds a try no longer than its time limit', async (_, open) => {
  await using subject = await open()
  const notice = noticeOf(await subject.store.hold('refund'))
  subject.wire.fail(subject.post, 'hang')
  await expect(subject.notifier.send(notice, subject.address, context(300))).rejects.toMatchObject({ retry: 'later' })
  await subject.notifier.send(notice, subject.address, context())
  expect(subject.read()).toHaveLength(1)
})

test('Slack: an app that may not read a conversation sends a message again rather than not at all', async () => {
  await using slack = await Slack.open()
  await using store = await aHeldStore()
  slack.missing.push('history')
  const notifier = new SlackNotifier(new SlackApi({ token: BOT_TOKEN, url: slack.api }), { hasButtons: false })
  const notice = noticeOf(await store.hold('refund'))
  expect(await notifier.find(notice, 'U0ANA', context())).toBeNull()
  await notifier.send(notice, 'U0ANA', context())
  expect(labelsOf(slack.messages[0] as (typeof slack.messages)[0])).toEqual([])
})

test.each(CHANNELS)('P9: %s: a request that is cut offers no approval', async (_, open) => {
  await using subject = await open()
  const hold = await subject.store.hold('refund', { text: 'x'.repeat(70_000) })
  await subject.notifier.send(noticeOf(hold), subject.address, context())
  const [read] = subject.read()
  expect(read).toContain('does not fit')
  expect(read).not.toMatch(/Approve|\/approve/)
  expect(read).toMatch(/Reject|\/deny/)
})

test('GitHub: a comment mentions those who are asked, as long as somebody is', async () => {
  await using subject = await onGitHub()
  const hold = await subject.store.hold('refund')
  await subject.store.holdpoint.assign(hold.id, { assignee: 'ben', by: 'ana', surface: 'cli', reason: null })
  const sent = await subject.notifier.send(noticeOf(await subject.store.now(hold)), subject.address, context())
  expect(subject.read()[0]).toMatch(/^@ben-at-work$/m)
  await subject.store.holdpoint.decide(hold.id, { verdict: 'reject', decided_by: 'ben', surface: 'cli' })
  await subject.notifier.settle?.(sent, noticeOf(await subject.store.now(hold)), context())
  expect(subject.read()[0]).not.toContain('@ben-at-work')
})
