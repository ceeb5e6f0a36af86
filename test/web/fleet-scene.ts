/** A project with agents in the background, and the page before them. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { type Document, endAgents, agents as holdpointAgents, until } from '../scenarios/agents/agents.ts'
import { killIfThere } from '../scenarios/processes.ts'
import { aScene, type Scene } from './scene.ts'

type ScriptName = 'deploy' | 'talk' | 'report' | 'build' | 'lead' | 'none'

const SCRIPTS: Readonly<Record<ScriptName, readonly unknown[]>> = {
  none: [],
  deploy: [
    {
      text: 'The tests are green, so I would deploy the shop now.',
      calls: [{ id: 'tc_1', name: 'write_file', args: { path: 'effects.log', content: 'applied\n' } }],
    },
    'Deployed.',
  ],
  talk: ['I read the notes. What shall I do with them?', 'That is done.', 'And that, too.', 'All of it is done.'],
  lead: [
    { calls: [{ id: 'tc_1', name: 'subagent_task', args: { prompt: 'Read', model: 'script:talk.json' } }] },
    'It reads.',
  ],
  report: ['The report is written: three tests are slow.'],
  build: [
    {
      text: 'I build all of it, which takes a while.',
      calls: [{ id: 'tc_1', name: 'run_command', args: { command: 'sh build.sh', timeout_seconds: 600 } }],
    },
  ],
}

/** Prints for ten minutes. */
const BUILD = 'n=0; while [ $n -lt 2000 ]; do n=$((n+1)); echo step $n; sleep 0.3; done\n'

const POLICY = { default: 'auto', tools: { write_file: 'prompt' } }

export interface FleetScene extends Scene {
  spawn(name: string, script: ScriptName, ...args: string[]): Promise<void>
  /** The agent once it has one of these statuses. */
  until(name: string, ...statuses: string[]): Promise<Document>
  agents(...args: string[]): ReturnType<typeof holdpointAgents>
  /** Kills the processes of all agents of the project and those that watch over them, as a machine that loses power. */
  loseProcesses(): void
  /** The project is a git repository with a commit from here on. */
  repository(): void
}

/** `holdpoint serve --no-work`: the agents advance themselves. */
export async function aFleetScene(): Promise<FleetScene> {
  const files = Object.fromEntries(
    Object.entries(SCRIPTS).map(([name, script]) => [`${name}.json`, JSON.stringify(script)]),
  )
  const scene = await aScene(
    { script: SCRIPTS.talk, policy: POLICY, files: { ...files, 'build.sh': BUILD } },
    '--no-work',
  )
  const { project } = scene
  return {
    ...scene,
    spawn: async (name, script, ...args) => {
      const model = ['--model', `script:${script}.json`]
      const spawned = await holdpointAgents(project, 'spawn', '--name', name, ...model, ...args, `Do the ${name} work`)
      if (spawned.exit !== 0) throw new TypeError(spawned.stderr)
    },
    until: (name, ...statuses) => until(project, name, ...statuses),
    agents: (...args) => holdpointAgents(project, ...args),
    loseProcesses: () => {
      const ours = processesWith(project.directory).filter(({ words }) => /supervise\.js|--attend/.test(words))
      for (const { pid } of ours) killIfThere(pid)
    },
    repository: () => {
      const git = (...args: string[]) => execFileSync('git', args, { cwd: project.directory, stdio: 'ignore' })
      git('init', '--quiet')
      git('-c', 'user.name=ana', '-c', 'user.email=ana@example.com', 'commit', '--quiet', '--allow-empty', '-m', 'one')
    },
    [Symbol.asyncDispose]: async () => {
      await endAgents(project)
      await scene[Symbol.asyncDispose]()
    },
  }
}

function processesWith(text: string): { pid: number; words: string }[] {
  const pids = readdirSync('/proc').filter(name => /^\d+$/.test(name))
  return pids.map(pid => ({ pid: Number(pid), words: commandLine(pid) })).filter(({ words }) => words.includes(text))
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    // It has ended meanwhile.
    return ''
  }
}

/** Flags of an agent that is idle for as long as a test lasts. */
export const STAYS: readonly string[] = ['--interactive', '--idle-timeout', '3600']
