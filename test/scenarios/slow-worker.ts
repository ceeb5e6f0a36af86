import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Tool } from '../../src/index.ts'
import type { Script } from '../../src/models/script.ts'
import { until } from './processes.ts'
import { ended, type Finished } from './project.ts'
import type { Workplace } from './workplace.ts'

const WORKER = resolve(import.meta.dirname, 'slow-worker.mjs')

export interface Worker {
  readonly child: ChildProcess
  readonly finished: Promise<Finished>
}

/** A process of its own that advances a run, with the tools `slow` and `again` (see `slow-worker.mjs`). */
export function startWorker(
  place: Workplace,
  run: string,
  options: { script: Script; quick?: boolean; deaf?: boolean },
): Worker {
  const child = spawn(process.execPath, [WORKER], {
    cwd: place.directory,
    env: {
      PATH: process.env['PATH'] ?? '',
      STORE: place.file,
      RUN: run,
      SCRIPT: JSON.stringify(options.script),
      ...(options.quick && { QUICK: '1' }),
      ...(options.deaf && { DEAF: '1' }),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return { child, finished: ended(child) }
}

/** The same tools in this process, which end at once. */
export function quickTools(place: Workplace): Tool[] {
  return [place.tool('slow'), place.tool('again', { idempotent: true })]
}

/** What the tools of workers wrote, line by line. */
export function effectsOf(place: Workplace): string[] {
  const file = join(place.directory, 'effects.log')
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8').split('\n').slice(0, -1)
}

/** Waits until so many tools run in workers. */
export async function begunCalls(place: Workplace, count: number): Promise<string[]> {
  const begun = () => effectsOf(place).filter(line => line.startsWith('begun'))
  await until(() => begun().length >= count)
  return begun()
}
