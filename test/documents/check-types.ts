import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import ts from 'typescript'
import { fileOf, readerDirectory } from './play-page.ts'
import type { Snippet } from './snippets.ts'

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2024,
  lib: ['lib.es2024.d.ts', 'lib.esnext.disposable.d.ts'],
  module: ts.ModuleKind.NodeNext,
  types: ['node'],
  resolveJsonModule: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  noEmit: true,
}

/** What the compiler says of the programs of all pages, beside the built package. */
export function typeFaults(snippets: readonly Snippet[], root: string): string[] {
  readerDirectory(root)
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }\n')
  const places = new Map<string, Snippet>()
  for (const snippet of snippets.filter(({ language, notRun }) => language === 'ts' && notRun === null)) {
    const page = snippet.place.replace(/:\d+$/, '')
    const path = join(root, page, fileOf(snippet) ?? '')
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, snippet.text)
    places.set(path, snippet)
  }
  const program = ts.createProgram([...places.keys()], { ...OPTIONS, typeRoots: [join(root, 'node_modules/@types')] })
  return ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
    const text = ts.flattenDiagnosticMessageText(messageText, '\n')
    const snippet = file && places.get(file.fileName)
    if (!file || !snippet) return `${file ? relative(root, file.fileName) : ''}: ${text}`
    const { line } = file.getLineAndCharacterOfPosition(start)
    return `${snippet.place.replace(/\d+$/, String(snippet.line + line))}: ${text}`
  })
}
