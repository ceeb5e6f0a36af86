/** After a decision, messages say what came of the call, and those who approved it hear of a failure. */
import { expect, test } from 'vitest'
import { aProject, command, type Project } from '../project.ts'
import { GITHUB_TOKEN, GitHub, REPOSITORY } from './github-server.ts'
import { aMailServer, type MailServer } from './mail-server.ts'
import { aReceiver, type Receiver } from './receiver.ts'
import { PEOPLE } from './sinks.ts'
import { BOT_TOKEN, Slack, textOf } from './slack-server.ts'

interface Scene extends AsyncDisposable {
  readonly project: Project
  readonly slack: Slack
  readonly github: GitHub
  readonly mail: MailServer
  readonly hook: Receiver
  /** Pauses, tells, decides with these arguments, runs, and tells again. */
  decided(...decision: readonly string[]): Promise<void>
  /** What each message says now. */
  read(): { readonly slack: readonly string[]; readonly github: readonly string[] }
}

async function aScene(call: string, ofMail: object = { follow_up: true }): Promise<Scene> {
  const stack = new AsyncDisposableStack()
  const slack = stack.use(await Slack.open())
  const github = stack.use(await GitHub.open())
  const mail = stack.use(await aMailServer())
  const hook = stack.use(await aReceiver())
  const project = stack.use(
    await aProject({
      script: [{ calls: [command('tc_1', call)] }, 'Done.'],
      policy: { tools: { run_command: 'prompt' } },
      env: { SLACK_TOKEN: BOT_TOKEN, GITHUB_TOKEN, SMTP_URL: mail.url },
      config: {
        people: PEOPLE,
        deciders: ['ana'],
        notify: {
          base_url: 'https://holds.example.org',
          channels: {
            slack: { token_env: 'SLACK_TOKEN', api_url: slack.api },
            github: { token_env: 'GITHUB_TOKEN', issue: `${REPOSITORY}#7`, api_url: github.api },
            mail: { smtp_env: 'SMTP_URL', from: 'holds@example.org', ...ofMail },
            webhook: { url: hook.url, allow_private: true, events: ['ended'] },
          },
        },
      },
    }),
  )
  await project.holdpoint('trust', '--yes')
  const send = async () => expect((await project.holdpoint('notices', 'send')).exit).toBe(0)
  return {
    ...{ project, slack, github, mail, hook },
    decided: async (...decision) => {
      const { json } = await project.holdpoint('--pause-on-approval', '-o', 'json', 'deploy')
      await send()
      expect((await project.holdpoint('-c', json.checkpoint_id, ...decision)).exit).toBe(0)
      await send()
    },
    read: () => ({
      slack: slack.messages.map(({ blocks }) => textOf(blocks)),
      github: github.comments.map(({ body }) => body),
    }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

const FAILED = /What you approved failed after [\d.]+ m?s with exit 3\./

test('what was approved and failed is told in the same message, in a mail of the same thread, and to programs', async () => {
  await using scene = await aScene('echo applied >> effects.log; exit 3')
  await scene.decided('--approve', 'tc_1')
  const { slack, github } = scene.read()
  for (const [message, ...others] of [slack, github]) {
    expect(others).toEqual([])
    expect(message).toContain('approved by ana')
    expect(message).toMatch(FAILED)
  }
  const [asked, told, ...more] = scene.mail.mails
  expect(more).toEqual([])
  expect(told?.inReplyTo).toBe(asked?.messageId)
  expect(told?.subject).toBe('Failed: Run echo applied >> effects.log; exit 3')
  expect(told?.text).toMatch(FAILED)
  expect(told?.text).toMatch(/https:\/\/holds\.example\.org\/holds\/hold_\w+/)
  expect(scene.hook.posts.map(({ json }) => json)).toMatchObject([
    { type: 'hold.ended', data: { status: 'decided', result: { status: 'succeeded', failed: true, exit_code: 3 } } },
  ])
})

test('a call that went well says so, and one that was rejected says nothing of an end', async () => {
  await using well = await aScene('echo applied >> effects.log')
  await well.decided('--approve', 'tc_1')
  for (const [message] of Object.values(well.read())) expect(message).toMatch(/It is done after [\d.]+ m?s\./)
  await using rejected = await aScene('echo applied >> effects.log')
  await rejected.decided('--reject', 'tc_1')
  for (const [message] of Object.values(rejected.read())) {
    expect(message).toContain('rejected by ana')
    expect(message).not.toMatch(/failed|done after/)
  }
  expect(rejected.hook.posts).toEqual([])
})

test('a mail channel that does not ask for it sends no mail of a failure', async () => {
  await using scene = await aScene('exit 3', {})
  await scene.decided('--approve', 'tc_1')
  expect(scene.mail.mails).toHaveLength(1)
  expect(scene.read().slack[0]).toMatch(FAILED)
})
