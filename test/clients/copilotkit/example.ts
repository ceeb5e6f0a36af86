import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Project } from '../../scenarios/project.ts'
import { installedExample } from '../installed-example.ts'

export interface Example extends AsyncDisposable {
  readonly url: string
}

/** The example as its readers start it, with the packages of this suite. */
export async function theExample(project: Project): Promise<Example> {
  const start = await installedExample('copilotkit', project.directory)
  const child: ChildProcess = spawn(process.execPath, [start], {
    env: { ...project.environment, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const { promise: listening, resolve: listens, reject } = Promise.withResolvers<string>()
  const exit = new Promise<void>(ended => child.once('close', () => ended()))
  exit.then(() => reject(new TypeError('the example ended'))).catch(() => {})
  if (child.stdout)
    createInterface(child.stdout).on('line', line => {
      const url = /^Open (\S+)/.exec(line)?.[1]
      if (url) listens(url)
    })
  return {
    url: await listening,
    [Symbol.asyncDispose]: async () => {
      child.kill()
      await exit
    },
  }
}
