import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { median, type Row } from './table.ts'

const CLI = resolve(import.meta.dirname, '../dist/cli/bin.js')
const LIBRARY = import.meta.resolve('holdpoint')
const LIBRARY_RUN = resolve(import.meta.dirname, 'library-run.mjs')
const ROUNDS = 15
const SCRIPT = [
  { text: 'now', calls: [{ id: 'tc_1', name: 'run_command', args: { command: 'echo applied' } }] },
  { text: 'done' },
]

export async function measureProcesses(directory: string): Promise<Row[]> {
  writeFileSync(join(directory, 'script.json'), JSON.stringify(SCRIPT))
  const times: Record<string, number[]> = {
    'node -e 0': [],
    'holdpoint --help': [],
    'holdpoint -c C --approve tc_1': [],
    'start and pause': [],
    "import 'holdpoint'": [],
    'library: start and pause': [],
    'library: approve and resume': [],
  }
  const peaks: Record<string, number[]> = Object.fromEntries(Object.keys(times).map(name => [name, []]))
  const measure = (name: string, args: string[]): string => {
    const start = performance.now()
    const { stdout, stderr } = timed(directory, args)
    times[name]?.push(performance.now() - start)
    peaks[name]?.push(peakOf(stderr))
    return stdout
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    measure('node -e 0', ['-e', '0'])
    measure('holdpoint --help', [CLI, '--help'])
    const paused = measure('start and pause', [
      CLI,
      '--model',
      'script:script.json',
      '--pause-on-approval',
      '-o',
      'json',
      'go',
    ])
    measure('holdpoint -c C --approve tc_1', [
      CLI,
      '-c',
      JSON.parse(paused).checkpoint_id,
      '--approve',
      'tc_1',
      '-o',
      'json',
    ])
    measure("import 'holdpoint'", ['--import', LIBRARY, '-e', '0'])
    const store = join(directory, 'library.db')
    measure('library: start and pause', [LIBRARY_RUN, 'start', store])
    measure('library: approve and resume', [LIBRARY_RUN, 'resume', store])
  }
  const base = median(times['node -e 0'] ?? [])
  return Object.entries(times).map(([command, all]) => ({
    command,
    'ms (median)': median(all),
    'ms over node -e 0': median(all) - base,
    'x node -e 0': median(all) / base,
    'peak MB': median(peaks[command] ?? []),
  }))
}

/** The preloaded line makes a process print its own peak as it exits: `maxRSS` is that of the whole process, in KB. */
function timed(directory: string, args: string[]): { stdout: string; stderr: string } {
  const report = "process.on('exit',()=>process.stderr.write('peak '+process.resourceUsage().maxRSS))"
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${report}`, ...args],
    {
      cwd: directory,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: directory },
    },
  )
  if (status !== 0 && status !== 10) throw new Error(`${args.join(' ')} ended with ${status}: ${stdout}${stderr}`)
  return { stdout, stderr }
}

function peakOf(stderr: string): number {
  return Number(/peak (\d+)/.exec(stderr)?.[1]) / 1024
}
