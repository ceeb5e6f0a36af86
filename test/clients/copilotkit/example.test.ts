import '../dom.ts'
import { mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fireEvent, screen, waitFor, within } from '@testing-library/dom'
import { expect, test } from 'vitest'
import { aProject, type Project } from '../../scenarios/project.ts'
import { type Example, theExample } from './example.ts'

const WAIT = { timeout: 20_000 }

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
