/** `holdpoint new`: a project with an agent, a tool and a test. It is there as a whole, or not at all. */
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../../../core/errors.ts'
import { jsonLine } from '../../../core/text/visible-text.ts'
import type { CommandContext } from '../../command/command.ts'
import { refuseAgent } from '../../process/lineage/refuse-agent.ts'
import { version } from '../../process/version.ts'
import { isAgentName } from '../../project/agent-files.ts'
import { makeProjectIn, readConfig } from '../../project/project.ts'
import { recordTrust } from '../../project/trust.ts'
import { argumentRefusals } from '../../refusals/argument-refusals.ts'
import { projectRefusals } from '../../refusals/project-refusals.ts'
import { settingsFiles } from './init.ts'
import { keepFile, type Setup, type StarterFile, setupDocument, setupText } from './setup.ts'

/** The example that is copied, from the bundled command line and from the source. Its name is put into its texts. */
const EXAMPLE = 'starter'
const PLACES = [`../../examples/${EXAMPLE}`, `../../../../examples/${EXAMPLE}`]

const ABOUT: Readonly<Record<string, string>> = {
  'agent.ts': 'the agent and its tools: what each does, shows, and asks',
  'agent.test.ts': 'its test',
  'script.yaml': 'what its scripted model says',
  'prices.json': 'what its tools work on',
  'README.md': 'how to play it',
  'package.json': 'npm test, npm run check',
  'tsconfig.json': 'what the compiler needs',
}

const TASK = 'Raise the price of tea by 0.50'

export async function run(context: CommandContext): Promise<number> {
  const { given, io, json, env, directory } = context
  // P1: an agent would choose the rules of its own project, and have them trusted.
  refuseAgent(env, projectRefusals.agentCannotInit)
  const name = nameIn(given.words)
  const made = makeProject(join(directory, name), name)
  const isTrusted = await trustOwn(made.directory, env)
  const next = `cd ${name} && ${isTrusted ? '' : 'holdpoint trust && '}holdpoint '${TASK}'`
  const setup: Setup = { ...made, next }
  io.out(json ? jsonLine(setupDocument(setup)) : textOf(setup))
  return 0
}

/** A name of a package, of a directory and of an agent at once. */
const NAME = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/
/** npm refuses these, and a package of that name cannot depend on this one. */
const RESERVED = ['node_modules', 'favicon.ico', 'holdpoint']

function nameIn(words: readonly string[]): string {
  const [name = '', ...more] = words
  const isName = NAME.test(name) && isAgentName(name) && !RESERVED.includes(name)
  if (more.length === 0 && isName) return name
  throw argumentRefusals.invalidProjectName(words)
}

/** Writes all files beside the place of the project, and moves them there at once. */
function makeProject(target: string, name: string): Omit<Setup, 'next'> {
  const parts = readExample(name)
  refuseTaken(target)
  const draft = `${target}.${process.pid}.tmp`
  orNotMade(target, () => mkdirSync(draft))
  try {
    return orNotMade(target, () => {
      const files = [...parts.map(file => keepFile(draft, file, 0o666)), ...settingsWithin(draft)]
      renameSync(draft, target)
      return { directory: target, files }
    })
  } catch (thrown) {
    rmSync(draft, { recursive: true, force: true })
    throw thrown
  }
}

function settingsWithin(draft: string): Setup['files'] {
  const within = makeProjectIn(draft)
  const settings = settingsFiles(draft, {
    agent: './agent.ts',
    about: 'a file, from the directory of the project',
    model: null,
  })
  return settings.map(file => ({ ...keepFile(within, file), path: `.holdpoint/${file.path}` }))
}

/** An empty directory is taken for the project. @throws RefusedError `file_exists` */
function refuseTaken(target: string): void {
  const isDirectory = orNotMade(target, () => lstatSync(target, { throwIfNoEntry: false })?.isDirectory())
  if (isDirectory === undefined || (isDirectory && orNotMade(target, () => readdirSync(target)).length === 0)) return
  throw projectRefusals.projectExists(target, isDirectory)
}

/** @throws RefusedError `unusable_directory` for whatever the file system says */
function orNotMade<Result>(target: string, act: () => Result): Result {
  try {
    return act()
  } catch (thrown) {
    throw projectRefusals.projectNotMade(target, messageOf(thrown), thrown)
  }
}

/** The files of the example, under the name of the project. @throws RefusedError `incomplete_installation` */
function readExample(name: string): StarterFile[] {
  const places = PLACES.map(place => join(import.meta.dirname, place))
  const example = places.find(place => existsSync(place))
  if (example === undefined) throw projectRefusals.noExample(String(places[0]))
  const files = Object.entries(ABOUT).map(([path, about]) => {
    const text = readFileSync(join(example, path), 'utf8').replaceAll(EXAMPLE, name)
    return { path, about, text: path === 'package.json' ? withOwnVersion(text, join(example, '../..')) : text }
  })
  return [...files, { path: '.gitignore', text: 'node_modules/\n', about: 'what git leaves out' }]
}

/** The project depends on the version that wrote it. A checkout is no version that a registry has. */
function withOwnVersion(manifest: string, own: string): string {
  const root = realpathSync(own)
  const isInstalled = root.includes('/node_modules/')
  return manifest.replace(
    '"holdpoint": "*"',
    `"holdpoint": ${JSON.stringify(isInstalled ? version() : `file:${root}`)}`,
  )
}

/** Its user made it just now, so it starts without a question. False if the record cannot be kept. */
async function trustOwn(directory: string, env: CommandContext['env']): Promise<boolean> {
  const { programs } = await readConfig(directory, env)
  try {
    if (programs !== null) await recordTrust(directory, programs, env)
    return true
  } catch {
    return false
  }
}

function textOf(setup: Setup): string {
  return `${setupText(setup)}
Next, a run that waits for you before it changes a price:
  ${setup.next}

Then \`holdpoint inbox\` opens the page, \`npm install && npm test\` tests the agent, and README.md has the rest.
`
}
