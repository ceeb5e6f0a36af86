/** Draws the pictures of terminals in the README from real sessions: `npm run picture`. */
import { writeFileSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import xterm from '@xterm/headless'
import { shellWord } from '../src/hosts/process/shell-word.ts'
import { aProject, Project } from '../test/scenarios/project.ts'
import { aChat } from '../test/scenarios/terminal/chat-terminal.ts'
import { inTerminal, type Typed } from '../test/scenarios/terminal/pseudo-terminal.ts'

const COLUMNS = 84
const CHAT_ROWS = 28
const SCRIPT = `- text: I am about to apply the changes.
  calls: [{ id: tc_1, name: run_command, args: { command: "terraform apply release.tfplan" } }]
  usage: { input: 812, output: 47 }
- text: Deployment complete.
  usage: { input: 903, output: 6 }
`
/** Stands in for the real one, which takes longer. */
const TERRAFORM = '#!/bin/sh\necho "Apply complete! Resources: 3 added, 0 changed, 0 destroyed."\n'

interface Scene {
  /** A comment in front of it. */
  readonly remark?: string
  readonly args: readonly string[]
  /** Behind the arguments, for the shell. */
  readonly shell?: string
  readonly keys?: readonly Typed[]
}

const SCENES: readonly Scene[] = [
  { args: ['-a', '--agent', 'deployer', 'apply the changes'], shell: '; echo "exit $?"' },
  { remark: '# minutes or days later, in any other shell', args: ['approve', 'tc_1', '--advance'] },
]

/** A piece of a line that is drawn alike. */
interface Span {
  readonly column: number
  readonly text: string
  readonly style: string
}

/** The pictures by their files. */
export const PICTURES: Readonly<Record<string, () => Promise<string>>> = {
  'docs/pause.svg': drawPause,
  'docs/chat.svg': drawChat,
}

async function drawPause(): Promise<string> {
  const agent =
    '---\nname: deployer\nmodel: script:deploy.yaml\npause_on: [approval]\npolicy: { default: prompt }\n---\n\nDeploy.\n'
  const files = { 'deploy.yaml': SCRIPT, '.holdpoint/agents/deployer.md': agent, 'bin/terraform': TERRAFORM }
  await using project = await aProject({ files })
  await chmod(project.path('bin/terraform'), 0o755)
  const fixed = new FixedIds()
  const lines: Span[][] = []
  for (const scene of SCENES) {
    if (lines.length > 0) lines.push([])
    lines.push(...(await play(scene, project, fixed)))
  }
  const title = 'an agent pauses before a command and ends with exit code 10; a person approves, and it goes on.'
  return svgOf(lines, `A terminal: ${title}`)
}

/** A chat with the agent of `holdpoint new`, once its person has gone to what waits. */
async function drawChat(): Promise<string> {
  await using home = await aProject()
  await home.run(['new', 'shop'], { own: true })
  const shop = new Project(join(home.directory, 'shop'), { HOME: home.directory, HOLDPOINT_HOST: 'laptop' })
  await using chat = await aChat(shop, { columns: COLUMNS, rows: CHAT_ROWS })
  chat.type('Raise the price of tea by 0.50\r')
  await chat.shows('waits for you')
  await chat.press('\t')
  await chat.shows('Esc back')
  const lines = await drawn(new FixedIds().put(chat.written), CHAT_ROWS)
  return svgOf(lines, 'A chat in a terminal: the agent wants to change a price, and the change waits for an approval.')
}

async function play(scene: Scene, project: Project, fixed: FixedIds): Promise<Span[][]> {
  const { remark, args, shell = '', keys = [] } = scene
  const env = { PATH: `${project.path('bin')}:${project.environment['PATH']}` }
  const { written } = await inTerminal(project, args, { columns: COLUMNS, keys, env, redirect: shell })
  const typed = `holdpoint ${args.map(shellWord).join(' ')}${shell}`
  const prompt = [
    { column: 0, text: '$', style: 'prompt' },
    { column: 2, text: typed, style: 'typed' },
  ]
  const before = remark ? [[{ column: 0, text: remark, style: 'prompt' }]] : []
  return [...before, prompt, ...(await drawn(fixed.put(written), 200))]
}

/** Ids and times of the picture, so that the same session draws the same picture. */
class FixedIds {
  readonly #left: Record<string, string[]> = {
    cp: ['r45tx3e6fs4ax99cgr947ra6tw', 'r45tx3e6fs4ax99ck93r81zg14'],
    th: ['r45tx3e6fs4ax99c'],
    run: ['1c7jzs21p5sn8k6z'],
    hold: ['knrcb7qkbwe3d99t'],
  }
  readonly #given = new Map<string, string>()

  put(text: string): string {
    return text
      .replaceAll(/\b(cp|th|run|hold)_[0-9a-z]{16,}/g, (id, kind: string) => this.#fixed(id, kind))
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '2026-11-22T09:14:07.059Z')
      .replaceAll(/\b\d+(?:\.\d+)? (?:ms|s)\b/g, '1 s')
      .replaceAll(/script:\/tmp\/[^\s…]*…?/g, 'script:script.yaml')
  }

  #fixed(id: string, kind: string): string {
    const given = this.#given.get(id) ?? `${kind}_${this.#left[kind]?.shift() ?? ''}`
    this.#given.set(id, given)
    return given
  }
}

/** What an emulator shows of `written`, by pieces of one style. */
async function drawn(written: string, rows: number): Promise<Span[][]> {
  const options = { cols: COLUMNS, rows, convertEol: true, allowProposedApi: true }
  const terminal = new xterm.Terminal(options)
  await new Promise<void>(done => terminal.write(written, done))
  const { active } = terminal.buffer
  const lines = Array.from({ length: active.length }, (_, row) => spansOf(active.getLine(row)))
  return lines.slice(0, lines.findLastIndex(spans => spans.length > 0) + 1)
}

function spansOf(line: xterm.IBufferLine | undefined): Span[] {
  const spans: Span[] = []
  const length = line?.translateToString(true).length ?? 0
  for (let column = 0; column < length; column++) {
    const cell = line?.getCell(column)
    const [text, style] = [cell?.getChars() || ' ', cell ? styleOf(cell) : '']
    const last = spans.at(-1)
    if (last?.style === style) spans[spans.length - 1] = { ...last, text: last.text + text }
    else spans.push({ column, text, style })
  }
  return spans.filter(({ text }) => text.trim() !== '')
}

const COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white']

function styleOf(cell: xterm.IBufferCell): string {
  const colour = cell.isFgPalette() ? [COLOURS[cell.getFgColor() % 8]] : []
  return [...(cell.isBold() ? ['bold'] : []), ...(cell.isDim() ? ['dim'] : []), ...colour].join(' ')
}

const [CHARACTER, LINE, MARGIN] = [8.4, 20, 20]

/** It brings its own background, so that it can be read on a light page and on a dark one. */
const STYLE = `text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #d1d7e0; white-space: pre }
.prompt { fill: #7d8590 } .typed { fill: #f0f6fc; font-weight: 600 } .bold { fill: #f0f6fc; font-weight: 600 } .dim { fill: #7d8590 }
.red { fill: #ff7b72 } .green { fill: #3fb950 } .yellow { fill: #d29922 } .blue { fill: #79c0ff } .magenta { fill: #d2a8ff } .cyan { fill: #56d4dd }`

function svgOf(lines: readonly (readonly Span[])[], title: string): string {
  const width = Math.ceil(COLUMNS * CHARACTER + 2 * MARGIN)
  const height = lines.length * LINE + 2 * MARGIN
  const texts = lines.flatMap((spans, row) => spans.map(span => textOf(span, row)))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title">
<title id="title">${title}</title>
<style>
${STYLE}
</style>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="#0d1117" stroke="#3d444d"/>
${texts.join('\n')}
</svg>
`
}

function textOf({ column, text, style }: Span, row: number): string {
  const shown = text.trimEnd()
  const x = (MARGIN + column * CHARACTER).toFixed(1)
  const y = MARGIN + row * LINE + 14
  const length = (shown.length * CHARACTER).toFixed(1)
  const attributes = `${style ? ` class="${style}"` : ''} xml:space="preserve"`
  return `<text x="${x}" y="${y}" textLength="${length}"${attributes}>${escaped(shown)}</text>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

if (import.meta.main)
  for (const [file, draw] of Object.entries(PICTURES))
    writeFileSync(join(import.meta.dirname, '..', file), await draw())
