import { readFileSync } from 'node:fs'
import { join, normalize } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'

const ENTRIES = ['src/index.ts', 'src/store-rules.ts', 'src/testing/index.ts', 'src/client/index.ts']

test.each(ENTRIES)('each export of %s says what it is', entry => {
  const exported = exportsOf(entry, readFileSync(entry, 'utf8'))
  expect(exported.length).toBeGreaterThan(10)
  const bare = exported.filter(({ file, name }) => !isDocumented(readFileSync(file, 'utf8'), name))
  expect(bare.map(({ file, name }) => `${file}: ${name}`)).toEqual([])
})

test('an export without a comment is found, and one that is not declared there counts as without', () => {
  const source = '/** A. */\nexport type A = 1\nexport type B = 1\n/** C. */\nexport const C = 1'
  expect(['A', 'B', 'C', 'D'].filter(name => !isDocumented(source, name))).toEqual(['B', 'D'])
})

function exportsOf(entry: string, source: string): readonly { readonly file: string; readonly name: string }[] {
  return parsed(source)
    .statements.filter(ts.isExportDeclaration)
    .flatMap(({ moduleSpecifier, exportClause }) => {
      if (!moduleSpecifier || !exportClause || !ts.isNamedExports(exportClause)) throw new Error(`${entry}: name each`)
      const file = normalize(join(entry, '..', (moduleSpecifier as ts.StringLiteral).text))
      return exportClause.elements.map(({ name, propertyName }) => ({ file, name: (propertyName ?? name).text }))
    })
}

function isDocumented(source: string, name: string): boolean {
  return parsed(source).statements.some(
    statement => namesOf(statement).includes(name) && ts.getJSDocCommentsAndTags(statement).length > 0,
  )
}

function namesOf(statement: ts.Statement): readonly string[] {
  if (ts.isVariableStatement(statement)) return statement.declarationList.declarations.map(({ name }) => name.getText())
  return 'name' in statement ? [(statement.name as ts.Identifier | undefined)?.text ?? ''] : []
}

function parsed(source: string): ts.SourceFile {
  return ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true)
}
