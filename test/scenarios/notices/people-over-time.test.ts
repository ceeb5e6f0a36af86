/** Channels that are down for an hour, and people who are asked one after another. */
import type { ChildProcess } from 'node:child_process'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../processes.ts'
import { aProject, effect, ended, type Finished, type Project } from '../project.ts'
import { GITHUB_TOKEN, GitHub, REPOSITORY } from './github-server.ts'
import { aMailServer } from './mail-server.ts'
import { aReceiver } from './receiver.ts'
import { BOT_TOKEN, Slack, type SlackMessage, textOf } from './slack-server.ts'

const PRELOAD = resolve(import.meta.dirname, '..', 'shift-clock.mjs')
const MINUTE_MS = 60_000
const script = [{ calls: [effect('tc_1', 'applied')] }, 'Done.']

async function paused(project: Project): Promise<string> {
  const { exit, json } = await project.holdpoint('--pause-on-approval', '-o', 'json', 'deploy')
  expect(exit).toBe(10)
  return json.pause_reason.pending_tool_calls[0].hold_id
}

test('every channel is down for an hour: runs pause all the same, and then each person has each message once', async () => {
  await using slack = await Slack.open()
  await using github = await GitHub.open()
  await using mail = await aMailServer()
  await using hook = await aReceiver()
  await using project = await aProject({
    ...{ script, policy: { default: 'prompt' } },
    env: { SLACK_TOKEN: BOT_TOKEN, GITHUB_TOKEN, SMTP_URL: mail.url },
    config: {
      people: { ana: { slack: 'U0ANA', mail: 'ana@example.org', github: 'ana' } },
      deciders: ['ana'],
      notify: {
        base_url: 'https://holds.example.org',
        channels: {
          slack: { token_env: 'SLACK_TOKEN', api_url: slack.api },
          github: { token_env: 'GITHUB_TOKEN', issue: `${REPOSITORY}#7`, api_url: github.api },
          mail: { smtp_env: 'SMTP_URL', from: 'holds@example.org' },
          webhook: { url: hook.url, allow_private: true, events: ['opened'] },
        },
      },
    },
  })
  await project.holdpoint('trust', '--yes')
  const send = (minutes: number): Promise<Finished> =>
    project.run(['notices', 'send'], {
      node: ['--import', PRELOAD],
      env: { CLOCK_AHEAD_MS: String(minutes * MINUTE_MS) },
    })

  const SAYS_ALL = expect.stringMatching(/(?:.*did not take.*\n){4}/)
  const down = { status: 503, body: '{}' }
  slack.wire.fail('', down, 1_000)
  github.wire.fail('', down, 1_000)
  mail.troubles.push(...Array.from({ length: 1_000 }, () => ({ at: 'recipient', code: 451 }) as const))
  hook.answer = response => response.writeHead(503).end()
  const holds = [await paused(project)]
  for (const minutes of [0, 1, 10]) {
    const { exit, stderr } = await send(minutes)
    expect([exit, stderr]).toEqual([1, SAYS_ALL])
  }
  holds.push(await paused(project))
  for (const minutes of [30, 59]) expect((await send(minutes)).exit).toBe(1)
  expect([slack.messages, github.comments, mail.mails]).toEqual([[], [], []])
  const refused = hook.posts.length

  slack.wire.faults.length = 0
  github.wire.faults.length = 0
  mail.troubles.length = 0
  hook.answer = response => response.end()
  for (const hours of [3, 10]) expect((await send(hours * 60)).exit).toBe(0)
  const about = (texts: readonly string[]) => holds.map(hold => texts.filter(text => text.includes(hold)).length)
  expect(about(slack.messages.map(({ blocks }) => textOf(blocks)))).toEqual([1, 1])
  expect(about(github.comments.map(({ body }) => body))).toEqual([1, 1])
  expect(about(mail.mails.map(({ text = '' }) => text))).toEqual([1, 1])
  expect(about(hook.posts.slice(refused).map(({ body }) => body))).toEqual([1, 1])
  const [again, before] = [hook.posts.slice(refused), hook.posts.slice(0, refused)].map(
    posts => new Set(posts.map(({ headers }) => headers['webhook-id'])),
  )
  expect(again).toEqual(before)
})

test('a reminder, an escalation to a group and a late approval reach each person once, told by three processes', async () => {
  await using slack = await Slack.open()
  await using project = await aProject({
    ...{ script, policy: { default: 'prompt' }, env: { SLACK_TOKEN: BOT_TOKEN } },
    config: {
      people: { ana: { slack: 'U0ANA' }, mia: { slack: 'U0MIA' }, max: { slack: 'U0MAX' } },
      groups: { managers: ['mia', 'max'] },
      deciders: ['ana'],
      due: { seconds: 4, remind_after: [1], assignee: 'ana', escalation: [{ assignee: '@managers', seconds: 3_600 }] },
      notify: {
        channels: { slack: { token_env: 'SLACK_TOKEN', signing_secret_env: 'SLACK_TOKEN', api_url: slack.api } },
      },
    },
  })
  await project.holdpoint('trust', '--yes')
  await using _workers = new Workers(project)
  const hold = await paused(project)
  const to = (place: string): readonly SlackMessage[] => slack.messages.filter(({ channel }) => channel === place)
  await until(() => to('D0MIA').length > 0 && to('D0MAX').length > 0)
  const mia = await project.run(['approve', hold], { env: { HOLDPOINT_ACTOR: 'mia' } })
  expect(mia).toMatchObject({ exit: 0 })
  const max = await project.run(['approve', hold], { env: { HOLDPOINT_ACTOR: 'max' } })
  expect(max).toMatchObject({ exit: 2, stderr: expect.stringContaining('mia already chose approve') })
  await until(() => slack.messages.every(({ blocks }) => textOf(blocks).includes('approved by mia')))
  expect(['D0ANA', 'D0MIA', 'D0MAX'].map(place => to(place).length)).toEqual([2, 1, 1])
  expect(slack.messages).toHaveLength(4)
  const told = async (): Promise<string[]> => {
    const { json } = await project.holdpoint('notices', '--json')
    return json.map(({ event, person, status }: Record<string, string>) => [event, person, status].join(' ')).toSorted()
  }
  // A message changes a moment before its row does.
  await expect
    .poll(told)
    .toEqual(['escalated max changed', 'escalated mia changed', 'opened ana changed', 'reminded ana changed'])
})

class Workers implements AsyncDisposable {
  readonly #running: readonly ChildProcess[]

  constructor(project: Project) {
    this.#running = Array.from({ length: 3 }, () => project.start(['work']))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const over = this.#running.map(ended)
    for (const child of this.#running) child.kill('SIGTERM')
    await Promise.all(over)
  }
}
