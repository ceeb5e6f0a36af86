import { readFileSync } from 'node:fs'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { API_PAGES } from '../../scripts/list-api.ts'

const ENTRIES = [...new Set(API_PAGES.map(({ source }) => source))]
const pages = API_PAGES.map(({ file }) => readFileSync(`docs/api/${file}`, 'utf8')).join('\n')

test('every entry of the package that has types has its page', () => {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    exports: Record<string, { types?: string }>
  }
  const typed = Object.entries(exports).filter(([, { types }]) => types !== undefined)
  const doors = typed.map(([name, { types }]) => [`holdpoint${name.slice(1)}`, types?.replace('./', '')])
  expect(new Map(API_PAGES.map(({ door, types }) => [door, types]))).toEqual(new Map(doors as [string, string][]))
})

test.each(ENTRIES)('docs/api/ says of each export of %s what it is, and has its signature', entry => {
  const names = exportsOf(entry, readFileSync(entry, 'utf8'))
  expect(names.length).toBeGreaterThan(5)
  expect(names.filter(name => !isDescribed(pages, name))).toEqual([])
})

test('an export without a comment, without a signature or without a section is found', () => {
  const section = (name: string, text: string) => `### ${name}\n\n${text}\n`
  const found = [
    section('A', 'An A.\n\n```ts\ntype A = 1;\n```'),
    section('B', '```ts\ntype B = 1;\n```'),
    section('C', '**Throws** RefusedError\n\n```ts\nfunction C(): void;\n```'),
    section('D', 'A D.'),
  ]
  expect(['A', 'B', 'C', 'D', 'E'].filter(name => !isDescribed(found.join('\n'), name))).toEqual(['B', 'C', 'D', 'E'])
})

function exportsOf(entry: string, source: string): readonly string[] {
  return ts
    .createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true)
    .statements.filter(ts.isExportDeclaration)
    .flatMap(({ exportClause }) => {
      if (!exportClause || !ts.isNamedExports(exportClause)) throw new Error(`${entry}: name each`)
      return exportClause.elements.map(({ name }) => name.text)
    })
}

/** A section begins with a text, and its first block is the signature. */
function isDescribed(text: string, name: string): boolean {
  const sections = [...text.matchAll(new RegExp(`^### ${name}\\n\\n([\\s\\S]*?)(?=^##|(?![\\s\\S]))`, 'gm'))]
  return sections.some(([, section = '']) => /^(?!\*\*|```)./.test(section) && blockOf(section).includes(name))
}

function blockOf(section: string): string {
  return /```ts\n([\s\S]*?)\n```/.exec(section)?.[1] ?? ''
}
