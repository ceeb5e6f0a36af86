import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { shellWord } from '../../src/hosts/process/shell-word.ts'
import { CLI, type Project } from './project.ts'

/** `script` of util-linux gives a process a pseudo terminal. */
export const HAS_TERMINAL: boolean = process.platform === 'linux' && existsSync('/usr/bin/script')

export interface Shown {
  readonly exit: number | null
  /** All that stood on the terminal, keys that it echoed included. */
  readonly screen: string
}

type Typed = readonly [when: string, keys: string]

/** Runs `holdpoint ...args` in a terminal. Each line of keys is typed once its text has appeared behind the one before. */
export async function inTerminal(
  project: Project,
  args: readonly string[],
  typed: readonly Typed[] = [],
): Promise<Shown> {
  const command = [process.execPath, CLI, ...args].map(shellWord).join(' ')
  const child = spawn('/usr/bin/script', ['-qefc', command, '/dev/null'], {
    cwd: project.directory,
    env: { ...project.environment, TERM: 'xterm', NO_COLOR: '1' },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  let [screen, read] = ['', 0]
  const left = [...typed]
  child.stdout.on('data', chunk => {
    screen += chunk
    for (let [next] = left; next && screen.indexOf(next[0], read) >= 0; [next] = left) {
      read = screen.indexOf(next[0], read) + next[0].length
      child.stdin.write(next[1])
      left.shift()
    }
  })
  const { promise, resolve } = Promise.withResolvers<number | null>()
  child.on('close', resolve)
  const exit = await promise
  return { exit, screen: screen.replaceAll('\r\n', '\n') }
}
