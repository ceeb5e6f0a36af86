import type { Logger, Runner, RunnerOptions } from 'graphile-worker'
import { RefusedError } from '../../core/errors.ts'

/** The parts of graphile-worker that are used here. */
export interface Graphile {
  readonly run: (options: RunnerOptions) => Promise<Runner>
  readonly runMigrations: (options: RunnerOptions) => Promise<void>
  readonly Logger: typeof Logger
}

/** An optional peer: only who names the engine installs it. @throws RefusedError `engine_missing` */
export async function loadGraphile(): Promise<Graphile> {
  try {
    return await import('graphile-worker')
  } catch (cause) {
    throw new RefusedError(
      'engine_missing',
      'The engine graphile needs the package graphile-worker, which is not installed.',
      {
        hint: 'Run `npm i graphile-worker` in the project, and run the command again; or leave --engine away.',
        cause,
      },
    )
  }
}
