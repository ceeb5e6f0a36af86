import { expect, test } from 'vitest'
import { openHoldpoint } from '../../../src/index.ts'
import { overStdio } from '../mcp/mcp-process.ts'
import { aProject, type Project } from '../project.ts'

// biome-ignore lint/suspicious/noExplicitAny: documents are checked by the tests that read them
type Document = any

const SCRIPT = ['First.', 'Second.', 'Third.', 'Fourth.']

/** Over MCP an agent is started, and comes to its end. */
async function aCompletedAgent(project: Project): Promise<{ use: Use; task: Document } & AsyncDisposable> {
  const { client, ...connected } = await overStdio(project, 'latest')
  const use: Use = async (name, args) => {
    const result = await client.callTool({ name, arguments: args })
    const [said] = result.content as { text: string }[]
    return result.isError ? JSON.parse(said?.text ?? '') : result.structuredContent
  }
  const { task_id } = await use('subagent_task', { prompt: 'begin' })
  const task = (await use('wait_for_tasks', { task_ids: [task_id] })).tasks[0]
  expect(task).toMatchObject({ task_id, status: 'completed' })
  return { use, task, [Symbol.asyncDispose]: () => connected[Symbol.asyncDispose]() }
}

type Use = (name: string, args: Record<string, unknown>) => Promise<Document>

test('an agent that is done goes on with a prompt over MCP, on the command line and in the library: one task, one session', async () => {
  await using project = await aProject({ script: SCRIPT })
  await using started = await aCompletedAgent(project)
  const { use, task } = started
  const { task_id, session_id, run_id } = task

  const more = await use('resume_task', { task_id, prompt: 'more over MCP' })
  expect(more).toMatchObject({ task_id, session_id, invocations: 2 })
  expect(more.run_id).not.toBe(run_id)
  const waited = await use('wait_for_tasks', { task_ids: [task_id] })
  expect(waited.tasks).toMatchObject([{ status: 'completed', run_id: more.run_id, exit_code: 0 }])
  expect(await use('get_task_details', { task_id })).toMatchObject({ result: { final_message: 'Second.' } })

  expect((await project.holdpoint('tasks', 'resume', task_id, 'more', 'by', 'hand')).exit).toBe(0)
  expect((await project.holdpoint('tasks', 'wait', task_id)).exit).toBe(0)

  await using library = await openHoldpoint({ store: `sqlite:${project.directory}/.holdpoint/holdpoint.db` })
  const answer = { choices: null, prompt: 'more by code', finish: false }
  const asker = { by: 'ana', surface: 'code' }
  expect(await library.tasks.resume(task_id, { answer, checkpoint_id: null, asker })).toMatchObject({ invocations: 4 })
  const request = { until: 'all', seconds: 20, signal: AbortSignal.timeout(20_000), asker } as const
  expect(await library.tasks.wait([task_id], request)).toMatchObject({ tasks: [{ status: 'completed' }] })

  const said = (await project.messages(session_id)).map(({ content }: Document) => content)
  expect(said).toEqual([
    ...['begin', 'First.', 'more over MCP', 'Second.'],
    ...['more by hand', 'Third.', 'more by code', 'Fourth.'],
  ])
  expect((await use('get_all_tasks', {})).tasks).toHaveLength(1)
})

test('what does not fit an agent that is done is refused, and it is left as it was', async () => {
  await using project = await aProject({ script: SCRIPT })
  await using started = await aCompletedAgent(project)
  const { use, task } = started
  const { task_id, checkpoint_id } = task
  const decision = [{ tool_call_id: 'tc_1', approved: true }]
  const table: [args: Record<string, unknown>, code: string][] = [
    [{ tool_decisions: decision }, 'not_paused'],
    [{ prompt: 'more', checkpoint_id: 'cp_none' }, 'superseded'],
    [{ prompt: ' ' }, 'empty_answer'],
  ]
  for (const [args, code] of table)
    expect(await use('resume_task', { task_id, ...args })).toMatchObject({ error: { code } })
  expect((await project.holdpoint('tasks', 'resume', task_id, '-o', 'json')).json.error.hint).toContain('more to do')
  expect(await use('get_task_details', { task_id })).toMatchObject({
    status: 'completed',
    checkpoint_id,
    invocations: 1,
  })
  expect((await project.holdpoint('runs', '--json')).json).toHaveLength(1)
})

test('P2: of two prompts at once to an agent that is done one starts the next run, and the other is told', async () => {
  await using project = await aProject({ script: SCRIPT })
  await using started = await aCompletedAgent(project)
  const { use, task } = started
  const both = await Promise.all(['one', 'two'].map(prompt => use('resume_task', { task_id: task.task_id, prompt })))
  const refused = both.filter(({ error }) => error)
  expect(refused, JSON.stringify(both)).toHaveLength(1)
  await use('wait_for_tasks', { task_ids: [task.task_id] })
  expect((await project.holdpoint('runs', '--json')).json).toHaveLength(2)
})

test('a cancelled agent takes nothing more', async () => {
  await using project = await aProject({ script: [{ text: 'Slow.', delay_ms: 60_000 }] })
  const { client, ...connected } = await overStdio(project, 'latest')
  await using _connected = connected
  const started = await client.callTool({ name: 'subagent_task', arguments: { prompt: 'begin' } })
  const { task_id } = started.structuredContent as Document
  await client.callTool({ name: 'cancel_task', arguments: { task_id } })
  expect((await project.holdpoint('tasks', 'resume', task_id, 'more', '-o', 'json')).json.error.code).toBe('not_paused')
})

test('P1: an agent gives more to do to its own sub-agents alone', async () => {
  const call = (id: string, name: string, args: unknown) => ({ id, name, args })
  await using project = await aProject({ script: SCRIPT, policy: { default: 'auto' } })
  await using started = await aCompletedAgent(project)
  const { task_id } = started.task
  const script = [{ calls: [call('p1', 'resume_task', { task_id, prompt: 'work for me' })] }, 'Done.']
  await project.write('other.json', JSON.stringify(script))
  const other = await project.holdpoint('-a', '--model', 'script:other.json', '-t', 'resume_task', '-o', 'json', 'go')
  const [result] = (await project.messages(other.json.session_id)).filter(({ role }: Document) => role === 'tool')
  expect(JSON.stringify(result.content)).toContain('NOT_YOUR_TASK')
  expect(await started.use('get_task_details', { task_id })).toMatchObject({ invocations: 1 })
})
