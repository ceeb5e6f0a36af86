/** Comments on GitHub, over the real wire in both directions. */
import { expect, test } from 'vitest'
import { noticeText } from '../../../src/core/notice/notice-text.ts'
import type { Hold, Policy } from '../../../src/index.ts'
import { GitHubApi } from '../../../src/notifiers/github/github-api.ts'
import { GitHubNotifier } from '../../../src/notifiers/github/github-notifier.ts'
import { GitHubReplies } from '../../../src/notifiers/github/github-replies.ts'
import { openGitHub } from '../../../src/protocols/github/open-github.ts'
import { type Comment, GITHUB_TOKEN, GitHub, REPOSITORY, WEBHOOK_SECRET } from './github-server.ts'
import { aHeldStore, type HeldStore, served } from './held-store.ts'
import { until } from './wire-server.ts'

const PEOPLE: Readonly<Record<string, string>> = { ana: 'ana', 'ben-at-work': 'ben' }
const ANA = { login: 'ana' }
const BEN = { login: 'ben-at-work' }
const signal = AbortSignal.timeout(60_000)

interface Office extends AsyncDisposable {
  readonly github: GitHub
  readonly store: HeldStore
  /** The comment about a hold on issue 7. */
  send(hold: Hold): Promise<Comment>
}

async function anOffice(policy: Partial<Policy> = {}): Promise<Office> {
  const [github, store] = [await GitHub.open(), await aHeldStore({ policy })]
  const api = new GitHubApi({ token: GITHUB_TOKEN, url: github.api, now: () => Date.now() })
  const door = await served(
    openGitHub({
      holdpoint: store.holdpoint,
      ...{ secrets: ['the-secret-before', WEBHOOK_SECRET], repositories: ['Acme/Shop'] },
      personOf: login => PEOPLE[login] ?? null,
      replies: new GitHubReplies(api),
      now: () => Date.now(),
      onError: () => {},
    }),
  )
  github.webhook = `${door.url}/github/webhook`
  const notifier = new GitHubNotifier(api, { loginOf: () => null })
  return {
    github,
    store,
    send: async hold => {
      await notifier.send(noticeOf(hold), `${REPOSITORY}#7`, { signal })
      return github.comments.at(-1) as Comment
    },
    [Symbol.asyncDispose]: async () => {
      await door[Symbol.asyncDispose]()
      await github[Symbol.asyncDispose]()
      await store[Symbol.asyncDispose]()
    },
  }
}

function noticeOf(hold: Hold) {
  const occasion = { event: 'opened', about: '', person: null, now: Date.now(), result: null } as const
  return {
    ...{
      id: `notice_${hold.id}`,
      event: 'opened' as const,
      at: hold.opened_at,
      person: null,
      hold,
      result: null,
      holds: [],
      run: null,
    },
    ...{ url: null, text: noticeText(hold, occasion) },
  }
}

test('a comment shows the request as code, says which comment decides, and that comment decides in the name of its author', async () => {
  await using office = await anOffice()
  const hold = await office.store.hold('refund', { note: '@everyone ```\n</details>' })
  const asked = await office.send(hold)
  expect(asked.body).toContain('````\nnote:\n  @everyone ```\n  </details>\n````')
  expect(asked.body).toContain(`\`/approve ${hold.id}\``)
  const { status, comment } = await office.github.comment(7, `/approve ${hold.id}\r\n`, ANA)
  expect(status).toBe(204)
  expect((await office.store.now(hold)).decision).toMatchObject({
    verdict: 'approve',
    decided_by: 'ana',
    surface: 'github',
  })
  await until(() => (comment.reactions.includes('+1') ? true : null))
})

test('a denial takes the rest of the comment as its reason, and an answer as its text', async () => {
  await using office = await anOffice()
  const refund = await office.store.hold('refund')
  await office.github.comment(7, `/deny ${refund.id} too much\n\nAsk for less.`, BEN)
  expect((await office.store.now(refund)).decision).toMatchObject({
    ...{ verdict: 'reject', reason: 'too much\n\nAsk for less.', decided_by: 'ben' },
  })
  const asks = await office.store.hold('ask', { message: 'Where to?', choices: ['test', 'production'] })
  await office.github.comment(7, `/answer ${asks.id} production`, BEN)
  expect((await office.store.now(asks)).decision).toMatchObject({ value: 'production' })
})

test('one comment may decide several holds, a line for each', async () => {
  await using office = await anOffice()
  const [one, two] = [await office.store.hold('refund'), await office.store.hold('refund')]
  await office.github.comment(7, `/approve ${one.id}\n/reject ${two.id} no`, ANA)
  expect((await office.store.now(one)).decision?.verdict).toBe('approve')
  expect((await office.store.now(two)).decision?.verdict).toBe('reject')
})

test('P1: an override is approved by a comment that names its thing, and by no other', async () => {
  await using office = await anOffice({ tools: { refund: 'never' } })
  const hold = await office.store.hold('refund', { to: 'jo', cents: 1_200 })
  expect((await office.send(hold)).body).toContain(`\`/approve ${hold.id} jo\``)
  for (const words of [`/approve ${hold.id}`, `/approve ${hold.id} ana`, `/answer ${hold.id} approve`]) {
    await office.github.comment(7, words, ANA)
    await office.github.said('name its thing: approve jo')
  }
  expect((await office.store.now(hold)).status).toBe('open')
  await office.github.comment(7, `/approve ${hold.id} Jo`, ANA)
  expect((await office.store.now(hold)).decision).toMatchObject({ verdict: 'approve', decided_by: 'ana', reason: null })
})

test('P1: an approval of what is no override takes no further word', async () => {
  await using office = await anOffice()
  const hold = await office.store.hold('refund')
  await office.github.comment(7, `/approve ${hold.id} quickly`, ANA)
  await office.github.said('This was not understood')
  expect((await office.store.now(hold)).status).toBe('open')
})

test.each([
  ['/approve HOLD if the tests pass'],
  ['/approve HOLD\nbut wait for Ben'],
  ['I would say\n/approve HOLD'],
  ['/approve'],
  ['/deny HOLD no\n/approve HOLD'],
])('P1: %j is no clear decision, and its author is told how to write one', async words => {
  await using office = await anOffice()
  const hold = await office.store.hold('refund')
  const { comment } = await office.github.comment(7, words.replaceAll('HOLD', hold.id), ANA)
  await office.github.said('@ana: This was not understood')
  expect(comment.reactions).toEqual(['confused'])
  expect((await office.store.now(hold)).status).toBe('open')
})

test.each([
  ['Looks good. See `/approve HOLD`.', {}],
  ['> /approve HOLD', {}],
  ['/approve HOLD', { action: 'edited' as const }],
  ['/approve HOLD', { login: 'editor-of-the-comment-of-another' }],
  ['/approve HOLD', { app: 'a-bot-with-the-rights-of-ana' }],
  ['/approve HOLD', { event: 'ping' }],
])('P1: %j with %j is no word of a person, and changes nothing', async (words, options) => {
  await using office = await anOffice()
  const hold = await office.store.hold('refund')
  const author = { ...ANA, ...options }
  const sent = await office.github.comment(7, words.replaceAll('HOLD', hold.id), author)
  expect(sent.comment.reactions).toEqual([])
  expect((await office.store.now(hold)).status).toBe('open')
})

test('P2: a comment that GitHub delivers again counts once, and who comes late is told once who was first', async () => {
  await using office = await anOffice()
  const hold = await office.store.hold('refund')
  const first = await office.github.comment(7, `/approve ${hold.id}`, ANA)
  const late = await office.github.comment(7, `/deny ${hold.id} no`, BEN)
  await office.github.said('@ben-at-work: ` ana already chose approve')
  expect([await first.again(), await late.again()]).toEqual([204, 204])
  await until(() => (late.comment.reactions.length === 2 ? true : null))
  expect(await office.github.said('already chose approve')).toHaveLength(1)
  expect(first.comment.reactions).toEqual(['+1', '+1'])
  expect((await office.store.now(hold)).decision).toMatchObject({ verdict: 'approve', decided_by: 'ana' })
})

test.each([
  ['a stranger', { login: 'eve' }, 403, ['unknown_person', 'github:eve']],
  ['the repository of others', { ...ANA, repository: 'evil/shop' }, 403, ['other_repository', 'github:ana']],
  ['a forged delivery', { ...ANA, secret: 'another secret' }, 401, ['invalid_signature', null]],
  ['a shortened signature', { ...ANA, spoil: (s: string) => s.slice(0, -2) }, 401, ['invalid_signature', null]],
  [
    'an older kind of signature',
    { ...ANA, spoil: (s: string) => s.replace('sha256', 'sha1') },
    401,
    ['invalid_signature', null],
  ],
  ['a delivery of last week', { ...ANA, ageHours: 24 * 7 }, 401, ['signature_too_old', 'github:ana']],
] as const)('P1: %s decides nothing, and is on record', async (_, options, status, refusal) => {
  await using office = await anOffice()
  const hold = await office.store.hold('refund')
  const sent = await office.github.comment(7, `/approve ${hold.id}`, options)
  expect(sent.status).toBe(status)
  expect((await office.store.now(hold)).status).toBe('open')
  expect(await office.store.refusals()).toEqual([refusal])
})

test('bodies that are no JSON, of another type or too large are refused', async () => {
  await using office = await anOffice()
  const post = async (body: string, type = 'application/json') => {
    const response = await fetch(office.github.webhook, { method: 'POST', body, headers: { 'content-type': type } })
    return [response.status, ((await response.json()) as { code: string }).code]
  }
  expect(await post('{')).toEqual([401, 'signature_missing'])
  expect(await post('payload={}', 'application/x-www-form-urlencoded')).toEqual([415, 'unsupported_media_type'])
  expect(await post('x'.repeat(2 * 1024 * 1024))).toEqual([413, 'body_too_large'])
})

test('P9: what a comment shows in part is approved elsewhere, and its author is told so', async () => {
  await using office = await anOffice()
  const hold = await office.store.hold('refund', { note: 'x'.repeat(60_000) })
  const asked = await office.send(hold)
  expect(asked.body).toContain('what is cut cannot be approved here')
  expect(asked.body).not.toContain('/approve')
  await office.github.comment(7, `/approve ${hold.id}`, ANA)
  await office.github.comment(7, `/answer ${hold.id} yes`, ANA)
  await office.github.said('no comment approves it', 2)
  expect((await office.store.now(hold)).status).toBe('open')
  expect(await office.store.refusals()).toEqual([
    ['shown_in_part', 'ana'],
    ['shown_in_part', 'ana'],
  ])
  await office.github.comment(7, `/deny ${hold.id} I cannot see it`, ANA)
  expect((await office.store.now(hold)).decision?.verdict).toBe('reject')
})

test('P9: the words of an agent make no mention, image or link, neither in a comment nor in a reply', async () => {
  await using office = await anOffice()
  const evil = 'a\r\r@acme/owners ![x](https://evil.example/x.png) <img src=x>\u202E'
  const hold = await office.store.hold('ask', { message: 'Where to?', choices: [evil, 'b'] })
  const asked = await office.send(hold)
  await office.github.comment(7, `/answer ${hold.id} c`, ANA)
  const [told] = await office.github.said('is not among the choices')
  for (const { body } of [asked, told as Comment]) {
    expect(body).not.toMatch(/[\r\u202E]/)
    // Out of code there is nothing of it.
    const plain = body.replaceAll(/(`+)[\s\S]*?[^`]\1(?!`)/g, '')
    expect(plain).not.toMatch(/evil|@acme|<img/)
  }
})

test('a question with many long choices is told all the same', async () => {
  await using office = await anOffice()
  const choices = Array.from({ length: 60 }, (_, n) => `${n}: ${'y'.repeat(500)}`)
  const asked = await office.send(await office.store.hold('ask', { message: 'Which?', choices }))
  expect(asked.body).toContain('TEXT `: one of its choices')
})
