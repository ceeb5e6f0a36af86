/** Pages of CopilotKit in a real browser, against the server and nothing between them. */
import { expect } from 'vitest'
import { aProject } from '../../scenarios/project.ts'
import { aServer } from '../../scenarios/server/server-process.ts'
import { aBrowser, inChromium } from '../chromium.ts'
import { theExample } from './example.ts'
import { aPageServer } from './page-server.ts'

inChromium(
  'in Chromium the CopilotKit example asks by useHumanInTheLoop and useInterrupt, also after a reload',
  async () => {
    await using project = await aProject()
    await using example = await theExample(project)
    await using browser = await aBrowser()
    const page = await browser.newPage()
    await page.goto(example.url)
    await page.getByPlaceholder(/message/i).fill('deploy')
    await page.getByTestId('copilot-send-button').click()
    await page.getByRole('button', { name: 'staging' }).click()
    const asked = page.getByLabel('Approve run_command')
    await asked.getByText('echo deployed >> deployed.txt').waitFor()
    await page.reload()
    await asked.getByText('echo deployed >> deployed.txt').waitFor()
    expect(project.exists('deployed.txt')).toBe(false)
    await asked.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('It is deployed.').waitFor()
    expect(await project.read('deployed.txt')).toBe('deployed\n')
    expect(await page.getByText('Where shall I deploy?').count()).toBe(1)
  },
  90_000,
)

inChromium(
  'in Chromium renderAndWaitForResponse answers a call of a tool that the page alone defines',
  async () => {
    const calls = [{ id: 'pick_1', name: 'pickEnvironment', args: { among: ['staging'] } }]
    await using project = await aProject({ script: [{ text: 'Where?', calls }, 'To staging then.'] })
    await using server = await aServer(project)
    await using site = await aPageServer('older-page.tsx', server)
    await using browser = await aBrowser()
    const page = await browser.newPage()
    await page.goto(site.url)
    await page.getByPlaceholder(/message/i).fill('deploy')
    await page.getByTestId('copilot-send-button').click()
    await page.getByRole('button', { name: 'staging' }).click()
    await page.getByText('To staging then.').waitFor()
    await page.getByText('picked staging').waitFor()
    const { json } = await server.send('/v1/holds?kind=client_tool&status=decided')
    expect(json.holds).toMatchObject([{ tool: 'pickEnvironment', decision: { value: 'staging' } }])
  },
  90_000,
)
