/** Finds what can go wrong, by code: errors that are thrown, classes with a code of their own, and `{ code, message }`. */

import { globSync } from 'node:fs'
import ts from 'typescript'
import type { ActionName } from '../src/core/next-action.ts'
import { COMMAND_WORDS } from '../src/hosts/outcome/resume-hint.ts'
import { type Meanings, TextReader, VARIES } from './read-texts.ts'

/** Who meets it, and how: before anything happened, as the end of a run by a limit, in the result of a call, or else. */
export type ErrorGroup = 'refusals' | 'failures' | 'limits' | 'calls'

export interface FoundError {
  readonly code: string
  readonly group: ErrorGroup
  readonly message: string
  readonly hint: string | null
}

/** Where an error is made: the expressions for its parts. */
interface Site {
  /** The name of its class, or the `type` of an object. */
  readonly type: string
  readonly code: ts.Expression
  readonly message: ts.Expression | undefined
  readonly hint: ts.Expression | undefined
  /** The name of the action that ends the hint. */
  readonly action?: ts.Expression | undefined
}

const OPTIONS: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ES2024,
  strict: true,
  rewriteRelativeImportExtensions: true,
  // Of the sources themselves only: what packages throw has no code of ours, and reading their types takes long.
  noResolve: true,
  lib: ['lib.es2024.d.ts'],
  types: [],
}

/** In the order of the sources. `root` holds `src`. */
export function findErrors(root: string): FoundError[] {
  const files = globSync('src/**/*.ts', { cwd: root })
    .filter(file => !file.endsWith('.test.ts') && !file.startsWith('src/testing/'))
    .toSorted()
  const program = ts.createProgram(
    files.map(file => `${root}/${file}`),
    OPTIONS,
  )
  const sources = program.getSourceFiles().filter(({ isDeclarationFile }) => !isDeclarationFile)
  const reader = new TextReader(program, sources)
  return sources.flatMap(source => sitesIn(source, reader)).flatMap(site => errorsAt(site, reader))
}

function sitesIn(node: ts.Node, reader: TextReader): Site[] {
  const site = siteOf(node, reader)
  const found = site ? [site] : []
  ts.forEachChild(node, child => {
    found.push(...sitesIn(child, reader))
  })
  return found
}

function siteOf(node: ts.Node, reader: TextReader): Site | null {
  if (ts.isNewExpression(node)) return thrownSite(node, reader)
  if (ts.isCallExpression(node)) return catalogueSite(node, reader)
  if (ts.isClassDeclaration(node)) return classSite(node, reader)
  return ts.isObjectLiteralExpression(node) ? toldSite(node, reader) : null
}

/** `refused('code', 'message', 'hint', { action })` */
function catalogueSite({ expression, arguments: given }: ts.CallExpression, reader: TextReader): Site | null {
  const [code, message, hint, more] = given
  const declaration = ts.isIdentifier(expression) ? reader.symbolOf(expression)?.valueDeclaration : undefined
  const isOurs = expression.getText() === 'refused' && declaration?.getSourceFile().fileName.endsWith('core/errors.ts')
  if (!isOurs || !code) return null
  return { type: 'RefusedError', code, message, hint, action: actionIn(more, reader) }
}

/** `refused` itself passes on the code of its caller. */
function isOfCatalogue(code: ts.Expression): boolean {
  return ts.findAncestor(code, ts.isFunctionDeclaration)?.name?.text === 'refused'
}

/** `new RefusedError('code', 'message', { hint })`, and whatever class takes its code first. */
function thrownSite(
  { expression, arguments: given = ts.factory.createNodeArray() }: ts.NewExpression,
  reader: TextReader,
): Site | null {
  const declared = reader.symbolOf(expression)?.valueDeclaration
  if (!declared || !ts.isClassDeclaration(declared)) return null
  const [first] = declared.members.find(ts.isConstructorDeclaration)?.parameters ?? []
  const [code, message, options] = given
  // A code that is cast came from elsewhere, over a wire: it was found where it is raised.
  if (first?.name.getText() !== 'code' || !code || ts.isAsExpression(code) || isOfCatalogue(code)) return null
  return {
    type: expression.getText(),
    code,
    message,
    hint: reader.propertyOf(options, 'hint'),
    action: actionIn(options, reader),
  }
}

function actionIn(options: ts.Expression | undefined, reader: TextReader): ts.Expression | undefined {
  return reader.propertyOf(reader.propertyOf(options, 'action'), 'do')
}

/** A class whose `code` is given, and what its constructor says to the one above. */
function classSite({ name, members }: ts.ClassDeclaration, reader: TextReader): Site | null {
  const code = members.find(each => ts.isPropertyDeclaration(each) && each.name.getText() === 'code')
  if (!name || !code || !ts.isPropertyDeclaration(code) || !code.initializer) return null
  const [message, options] = superArguments(members)
  return {
    type: name.text,
    code: code.initializer,
    message,
    hint: reader.propertyOf(options, 'hint'),
    action: actionIn(options, reader),
  }
}

function superArguments(members: ts.NodeArray<ts.ClassElement>): readonly ts.Expression[] {
  const statements = members.find(ts.isConstructorDeclaration)?.body?.statements ?? []
  for (const statement of statements) {
    if (!ts.isExpressionStatement(statement) || !ts.isCallExpression(statement.expression)) continue
    if (statement.expression.expression.kind === ts.SyntaxKind.SuperKeyword) return statement.expression.arguments
  }
  return []
}

/** What a model is told of a call, or a person of the end of a run. */
function toldSite(object: ts.ObjectLiteralExpression, reader: TextReader): Site | null {
  const code = reader.propertyOf(object, 'code')
  const message = reader.propertyOf(object, 'message') ?? reader.propertyOf(object, 'detail')
  const type = reader.propertyOf(object, 'type')?.getText() ?? ''
  return code && message && !passesOn(code) ? { type, code, message, hint: reader.propertyOf(object, 'hint') } : null
}

/** An error that was found elsewhere already. */
function passesOn(code: ts.Expression): boolean {
  return ts.isPropertyAccessExpression(code) && code.name.text === 'code'
}

function errorsAt({ type, code, message, hint, action }: Site, reader: TextReader): FoundError[] {
  const none: Meanings = new Map()
  const ways = [code, message, hint, action].reduce<Meanings[]>(
    (found, part) => found.flatMap(known => reader.waysTo(part, known)),
    [none],
  )
  return ways.flatMap(known =>
    codesOf(code, known, reader).map(each => ({
      code: each,
      group: groupOf(type, each),
      message: (message && oneOf(reader.textsOf(message, known))) ?? VARIES,
      hint: wholeHint(hint && oneOf(reader.textsOf(hint, known)), action && oneOf(reader.textsOf(action, known))),
    })),
  )
}

/** As people at a shell read it. */
function wholeHint(advice: string | undefined, action: string | undefined): string | null {
  const command = action !== undefined && isActionName(action) ? COMMAND_WORDS[action](VARIES) : undefined
  const sentences = [advice, command].filter(text => text !== undefined)
  return sentences.length > 0 ? sentences.join(' ') : null
}

function isActionName(text: string): text is ActionName {
  return Object.hasOwn(COMMAND_WORDS, text)
}

const GROUPS: Readonly<Record<string, ErrorGroup>> = { RefusedError: 'refusals', "'stopped'": 'limits' }

function groupOf(type: string, code: string): ErrorGroup {
  return /^[A-Z]/.test(code) ? 'calls' : (GROUPS[type] ?? 'failures')
}

function codesOf(code: ts.Expression, known: Meanings, reader: TextReader): string[] {
  const texts = reader.textsOf(code, known)
  const codes = texts.includes(VARIES) && texts.length === 1 ? reader.literalsOf(code) : texts
  return codes.filter(text => /^\w+$/.test(text))
}

/** Of several, the first that says something. */
function oneOf(texts: readonly string[]): string | undefined {
  return texts.find(text => text !== VARIES && text !== '') ?? texts[0]
}
