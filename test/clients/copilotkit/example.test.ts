import '../dom.ts'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fireEvent, screen, waitFor, within } from '@testing-library/dom'
import { expect, test } from 'vitest'
import { aProject, type Project } from '../../scenarios/project.ts'

const EXAMPLE = resolve(import.meta.dirname, '../../../examples/copilotkit/start.ts')
const PACKAGES = resolve(import.meta.dirname, '../node_modules')
const WAIT = { timeout: 20_000 }

interface Example extends AsyncDisposable {
  readonly url: string
}

/** The example as its readers start it, with the packages of this suite. */
async function theExample(project: Project): Promise<Example> {
  const child: ChildProcess = spawn(process.execPath, [EXAMPLE], {
    env: { ...project.environment, HOLDPOINT_EXAMPLE_DIR: project.directory, NODE_PATH: PACKAGES, PORT: '0' },
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

/** Opens the page that the example serves. Its paths lead to the example, as in a browser. */
async function openPage({ url }: Example, project: Project): Promise<void> {
  const { fetch } = globalThis
  globalThis.fetch = (path, init) => fetch(new URL(String(path), url), init)
  document.body.innerHTML = '<main id="chat"></main>'
  const script = await (await fetch(`${url}/page.js`)).text()
  await mkdir(project.path('page'))
  await writeFile(project.path('page', 'page.mjs'), script)
  // As Node loads it: it is 17 MB, and nothing of it is to be transformed.
  createRequire(import.meta.url)(project.path('page', 'page.mjs'))
}

test('the CopilotKit example asks on its page, runs what was approved there, and shows it', async () => {
  await using project = await aProject()
  await using example = await theExample(project)
  await openPage(example, project)
  const input = await screen.findByPlaceholderText(/message/i, {}, WAIT)
  fireEvent.change(input, { target: { value: 'deploy' } })
  const send = await screen.findByTestId<HTMLButtonElement>('copilot-send-button', {}, WAIT)
  await waitFor(() => expect(send.disabled).toBe(false), WAIT)
  fireEvent.keyDown(input, { key: 'Enter', code: 'Enter' })
  fireEvent.click(await screen.findByText('staging', {}, WAIT))
  const asked = await screen.findByLabelText('Approve run_command', {}, WAIT)
  expect(asked.textContent).toContain('echo deployed >> deployed.txt')
  expect(project.exists('deployed.txt')).toBe(false)
  fireEvent.click(within(asked).getByText('Approve'))
  await screen.findByText('It is deployed.', {}, WAIT)
  expect(await project.read('deployed.txt')).toBe('deployed\n')
}, 90_000)
