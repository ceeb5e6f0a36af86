/** Sixty holds of all kinds that a person may meet, for pictures, tests of the page and its benchmark. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { aProject, command, type Project } from '../../scenarios/project.ts'
import { type Scene, sceneOf } from '../scene.ts'
import { agentFiles } from './agents.ts'
import { type Asking, DAY } from './day-calls.ts'
import { HARD_CALLS, LONG_WORD, PROSE } from './hard-calls.ts'

export const HARD: Asking = {
  agent: 'writer',
  task: `Deploy the shop, and write to ${LONG_WORD}`,
  text: PROSE,
  calls: HARD_CALLS,
}

/** It kills its own process once, so that nobody knows what came of it. */
const DEADLY = 'echo sent >> effects.log; if [ -e deadly ]; then rm deadly; kill -9 $PPID; fi'
export const DOUBT: Asking = { agent: 'doubt', task: 'Send the report', text: '', calls: [command('d1', DEADLY)] }

const POLICY = {
  default: 'prompt',
  rules: [
    { tool: 'run_command', match: { command: 'terraform destroy*' }, policy: 'never' },
    { tool: 'run_command', match: { command: 'kubectl *production*' }, policy: 'prompt', risk: 'high' },
  ],
}

const SEARCH = `import { stem } from './stem.ts'

/** The words that are looked for. */
export function wordsOf(text: string): string[] {
  const words = text.trim().toLowerCase()
  return words.split(' ')
}
`

export interface CorpusScene extends Scene {
  /** The hold of a call, by the id of the call. */
  readonly hold: Readonly<Record<string, string>>
  /** The run and the conversation of an agent, by its name. */
  readonly of: Readonly<Record<string, { readonly run_id: string; readonly thread_id: string }>>
}

/** All of them, and a call in doubt. */
export const ALL: readonly Asking[] = [...DAY, HARD, DOUBT]

export async function aCorpusScene(askings: readonly Asking[] = ALL, ...args: string[]): Promise<CorpusScene> {
  const files = {
    ...agentFiles(askings),
    'src/search.ts': SEARCH,
    'package.json': '{ "fastify": "5.1.0" }\n',
    deadly: '',
  }
  const programs = await harmlessPrograms()
  const env = { PATH: `${programs}:${process.env['PATH']}` }
  const project = await aProject({ policy: POLICY, files, env })
  await project.holdpoint('trust', '--yes')
  if (askings.includes(DOUBT)) await leaveInDoubt(project)
  const scene = await sceneOf(project, ...args)
  const of: Record<string, { run_id: string; thread_id: string }> = {}
  for (const { agent, task } of askings.filter(each => each !== DOUBT))
    of[agent] = (await scene.server.send('/v1/threads', { body: { agent, input: task } })).json
  const holds = await scene.holds(askings.reduce((count, { calls }) => count + calls.length, 0))
  return {
    ...scene,
    ...{ of, hold: Object.fromEntries(holds.map(({ call_id, id }) => [call_id, id])) },
    [Symbol.asyncDispose]: async () => {
      await scene[Symbol.asyncDispose]()
      await rm(programs, { recursive: true, force: true })
    },
  }
}

/** What an approved command would reach elsewhere: here each of them says its words. A directory for the path. */
async function harmlessPrograms(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'holdpoint-programs-'))
  for (const name of ['npm', 'npx', 'git', 'kubectl', 'docker', 'gh', 'terraform', 'curl', 'pg_dump', 'deploy'])
    await writeFile(join(directory, name), `#!/bin/sh\necho "${name} $*"\n`, { mode: 0o755 })
  return directory
}

async function leaveInDoubt(project: Project): Promise<void> {
  await project.holdpoint('-a', '--agent', DOUBT.agent, '-o', 'json', DOUBT.task)
  const [run] = (await project.holdpoint('runs', '--json')).json
  await project.holdpoint('-c', run.run_id, '-o', 'json')
}
