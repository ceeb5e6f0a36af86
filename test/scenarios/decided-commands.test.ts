/** What came of an approved command, on every surface: a failure with its exit code, and an answer that is none. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ANSWERING_GREP, aDecidedCommand, type DecidedCommand, REFUSED_PUSH } from './decided-command.ts'
import { textOf } from './mcp/clients.ts'
import { aProject, command } from './project.ts'
import { mcpClient } from './server/mcp-client.ts'
import { HAS_TERMINAL, inTerminal } from './terminal/pseudo-terminal.ts'

interface Surface {
  readonly name: string
  readonly read: (decided: DecidedCommand) => Promise<string>
  readonly ofFailure: RegExp
  /** Left out if the surface does not tell an exit code that is an answer. */
  readonly ofAnswer?: RegExp
}

const FAILED = /failed\b[^\n]* exit 1\b/i
const ANSWERED = /exit 1, which is an answer/
const FAILED_JSON = /"exit_code":1,"signal":null,"failed":true/
const ANSWERED_JSON = /"exit_code":1,"signal":null,"failed":false/
const OF_RUN_JSON = /"failed":\{"exit_code":1,"signal":null,"failed":true\}/

const shell =
  (...args: string[]) =>
  async ({ project, hold, run }: DecidedCommand) =>
    (await project.holdpoint(...args.map(arg => ({ HOLD: hold, RUN: run })[arg] ?? arg))).stdout
const request =
  (path: string) =>
  async ({ server, hold, run }: DecidedCommand) =>
    JSON.stringify((await server.send(path.replace('HOLD', hold).replace('RUN', run))).json)

const SURFACES: readonly Surface[] = [
  { name: 'show of the hold', read: shell('show', 'HOLD'), ofFailure: FAILED, ofAnswer: ANSWERED },
  {
    name: 'show of the hold as JSON',
    read: shell('show', 'HOLD', '--json'),
    ofFailure: FAILED_JSON,
    ofAnswer: ANSWERED_JSON,
  },
  { name: 'show of the run', read: shell('show', 'RUN'), ofFailure: FAILED },
  { name: 'show of the run as JSON', read: shell('show', 'RUN', '--json'), ofFailure: OF_RUN_JSON },
  { name: 'runs', read: shell('runs'), ofFailure: / natural_end +exit 1 / },
  { name: 'runs as JSON', read: shell('runs', '--json'), ofFailure: OF_RUN_JSON },
  { name: 'audit', read: shell('audit', '--decisions'), ofFailure: FAILED, ofAnswer: ANSWERED },
  {
    name: 'audit explain',
    read: shell('audit', 'explain', 'RUN'),
    ofFailure: /FAILED with exit 1/,
    ofAnswer: ANSWERED,
  },
  { name: 'the hold over HTTP', read: request('/v1/holds/HOLD'), ofFailure: FAILED_JSON, ofAnswer: ANSWERED_JSON },
  {
    name: 'the decided holds over HTTP',
    read: request('/v1/inbox?status=decided'),
    ofFailure: /"tone":"bad","text":"It failed[^"]* with exit 1\."/,
    ofAnswer: ANSWERED,
  },
  { name: 'the run over HTTP', read: request('/v1/runs/RUN'), ofFailure: OF_RUN_JSON },
  { name: 'the runs over HTTP', read: request('/v1/runs?about=true'), ofFailure: OF_RUN_JSON },
  {
    name: 'the timeline over HTTP',
    read: request('/v1/runs/RUN/timeline'),
    ofFailure: FAILED_JSON,
    ofAnswer: ANSWERED_JSON,
  },
  {
    name: 'the explanation over HTTP',
    read: request('/v1/runs/RUN/explanation'),
    ofFailure: FAILED_JSON,
    ofAnswer: ANSWERED_JSON,
  },
  {
    name: 'the audit log over HTTP',
    read: request('/v1/audit?told=true&decisions=true'),
    ofFailure: FAILED,
    ofAnswer: ANSWERED,
  },
  {
    name: 'runs at a terminal',
    read: async ({ project }) =>
      HAS_TERMINAL ? (await inTerminal(project, ['runs'])).screen : (await project.holdpoint('runs')).stdout,
    ofFailure: / exit 1 /,
  },
  {
    name: 'the run over MCP',
    read: async ({ server, run }) => {
      const client = await mcpClient(server, 'latest')
      const answer = await client.callTool({ name: 'get_run', arguments: { run_id: run } })
      await client.close()
      return JSON.stringify(textOf(answer))
    },
    ofFailure: OF_RUN_JSON,
  },
  {
    name: 'the chat',
    read: async ({ chat }) => chat?.shows('That is what came of it.') ?? '✗ ? 1 1',
    ofFailure: /✗ .*git push.* exit 1/,
    ofAnswer: /✓ .*grep.* exit 1/,
  },
  ...(['Slack', 'GitHub'] as const).map(channel => ({
    name: channel,
    read: async ({ told }: DecidedCommand) => {
      await expect.poll(() => told(channel)).toMatch(/exit 1/)
      return told(channel)
    },
    ofFailure: /What you approved failed after [\d.]+ m?s with exit 1\./,
    ofAnswer: ANSWERED,
  })),
  {
    name: 'mail',
    read: async ({ told }) => {
      await expect.poll(() => told('Slack')).toMatch(/exit 1/)
      return told('mail')
    },
    ofFailure: /What you approved failed after [\d.]+ m?s with exit 1\./,
  },
  {
    name: 'a webhook',
    read: async ({ told }) => {
      await expect.poll(() => told('webhook')).toContain('hold.ended')
      return told('webhook')
    },
    ofFailure: /"failed":true,.*"exit_code":1|"exit_code":1,.*"failed":true/,
    ofAnswer: /"exit_code":1/,
  },
]

describe('a push that a person approved and that its remote refused', () => {
  let decided: DecidedCommand
  beforeAll(async () => {
    decided = await aDecidedCommand(REFUSED_PUSH)
  })
  afterAll(() => decided?.[Symbol.asyncDispose]())

  test.each(SURFACES)('$name tells that it failed, with its exit code', async ({ read, ofFailure }) => {
    expect(await read(decided)).toMatch(ofFailure)
  })

  test('the card has its output, the words of the agent, and the end of the run', async () => {
    const { result } = (await decided.project.holdpoint('show', decided.hold, '--json')).json
    expect(result).toMatchObject({
      ...{ status: 'succeeded', error: null, output: expect.stringContaining('main is frozen'), output_is_cut: false },
      ...{ said_next: 'That is what came of it.', termination: { type: 'natural_end' } },
    })
  })
})

describe('a grep that a person approved and that found nothing', () => {
  let decided: DecidedCommand
  beforeAll(async () => {
    decided = await aDecidedCommand(ANSWERING_GREP)
  })
  afterAll(() => decided?.[Symbol.asyncDispose]())

  test.each(SURFACES)('$name tells no failure', async ({ read, ofAnswer }) => {
    const text = await read(decided)
    if (ofAnswer) expect(text).toMatch(ofAnswer)
    else expect(text).not.toMatch(/exit 1\b/)
    expect(text.replaceAll(/"failed":(false|null)/g, '')).not.toMatch(/fail/i)
  })
})

test('a hold has no result before the decision, and a call that is decided says that it has not started', async () => {
  await using project = await aProject({
    script: [{ calls: [command('c1', 'true')] }, 'Done.'],
    policy: { tools: { run_command: 'prompt' } },
  })
  await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  const [{ id }] = (await project.holdpoint('holds', '--json')).json
  expect((await project.holdpoint('show', id, '--json')).json.result).toBeNull()
  expect(await project.holdpoint('approve', id)).toMatchObject({ exit: 0 })
  expect((await project.holdpoint('show', id)).stdout).toContain('It has not started yet.')
})

test('a rejected call has no result but what the agent says next, and its run says that it was rejected', async () => {
  await using project = await aProject({
    script: [{ calls: [command('c1', 'true')] }, 'Then I leave it.'],
    policy: { tools: { run_command: 'prompt' } },
  })
  await project.holdpoint('--pause-on-approval', '-o', 'json', 'go')
  const [{ id }] = (await project.holdpoint('holds', '--json')).json
  await project.holdpoint('reject', id, '--reason', 'no', '--advance')
  const { stdout } = await project.holdpoint('show', id)
  expect(stdout).not.toMatch(/It failed|It is done|not started/)
  expect(stdout).toContain('Then I leave it.')
  expect((await project.holdpoint('runs')).stdout).toMatch(/ natural_end +1 rejected /)
  expect((await project.holdpoint('runs', '--json')).json).toMatchObject([{ failed: null, rejected: 1 }])
})
