import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RefusedError } from '../../../core/errors.ts'
import type { CommandContext } from '../../command/command.ts'
import { paintFor } from '../../display/screen.ts'
import type { Io } from '../../process/io.ts'
import { shellWord } from '../../process/shell-word.ts'

const SCRIPT = `# A scripted model: what a real one might answer, turn by turn.
- text: I am about to apply the changes.
  calls:
    - { id: tc_1, name: run_command, args: { command: "echo applied >> effects.log" } }
  usage: { input: 100, output: 20 }
- text: Deployment complete.
  usage: { input: 140, output: 5 }
`

/** The main job, with real processes: each command is printed before it runs, so that it can be repeated by hand. */
export async function run(context: CommandContext): Promise<number> {
  const { io, env } = context
  const paint = paintFor(context)
  const say = (text: string) => io.out(`${paint('bold', text)}\n`)
  const directory = mkdtempSync(join(tmpdir(), 'holdpoint-demo-'))
  writeFileSync(join(directory, 'deploy.yaml'), SCRIPT)
  const step = stepper(io, { directory, env })
  say('1. An agent wants to run a command. It pauses before it does, and exits with 10.')
  const paused = await step(['--model', 'script:deploy.yaml', '--pause-on-approval', 'apply the changes'], 10)
  const isEarly = existsSync(join(directory, 'effects.log'))
  say(`2. Nothing has happened yet: effects.log ${isEarly ? 'EXISTS' : 'does not exist'}.`)

  say('3. A person approves. A new process goes on where the first one stopped.')
  const approve = ['-c', checkpointIn(paused), '--approve', 'tc_1']
  await step(approve, 0)

  say(`4. The effect is on disk, once. effects.log: ${readFileSync(join(directory, 'effects.log'), 'utf8').trim()}`)

  say('5. A second click changes nothing: it is refused.')
  await step(approve, 2)
  const holdpoint = [process.execPath, ...process.execArgv, cli()].map(shellWord).join(' ')
  say('Done. Look around with:')
  io.out(`  cd ${shellWord(directory)} && ${holdpoint} runs\n`)
  return 0
}

type Step = (args: readonly string[], expected: number) => Promise<string>

function stepper(io: Io, { directory, env }: { directory: string; env: CommandContext['env'] }): Step {
  return async (args, expected) => {
    const { spawnSync } = await import('node:child_process')
    io.out(`$ holdpoint ${args.map(shellWord).join(' ')}\n`)
    const plain = { ...env, HOLDPOINT_STORE: '', HOLDPOINT_MODEL: '' }
    const { stdout, stderr, status } = spawnSync(process.execPath, [...process.execArgv, cli(), ...args], {
      cwd: directory,
      env: plain,
      encoding: 'utf8',
    })
    io.out(`${excerpt(`${stdout}${stderr}`)}[exit code ${status}]\n`)
    if (status !== expected)
      throw new RefusedError('demo_failed', `The demo expected exit code ${expected} and got ${status}.`)
    return `${stdout}${stderr}`
  }
}

/** All steps together fit on a screen: ids, hints and empty lines are left out. */
function excerpt(told: string): string {
  const [shown = '', left] = told.split(/^checkpoint {2}|(?= at \d{4}-.*: its thread)/m)
  const lines = shown.replaceAll(/\{\n\s*(.*)\n\s*\}/g, '{ $1 }').split('\n')
  const text = lines.filter(line => line.trim() !== '').map(line => `${line}\n`)
  return left === undefined ? text.join('') : `${text.join('').trimEnd()} …\n`
}

function checkpointIn(told: string): string {
  return /\bcp_\w+/.exec(told)?.[0] ?? ''
}

/** The file that this process was started with. */
function cli(): string {
  return process.argv[1] ?? ''
}
