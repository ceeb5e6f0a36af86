/** Makes docs/api/ from the types of the built package: every export with its signature and its comment. */
import { existsSync } from 'node:fs'
import ts from 'typescript'

export interface ApiPage {
  /** The page, in docs/api/. */
  readonly file: string
  /** What a program imports. */
  readonly door: string
  /** The types that the build writes, and the source that they come from. */
  readonly types: string
  readonly source: string
  readonly about: string
  /** The types of the entry that the page has; without it, all others. */
  readonly folder?: RegExp
}

const main = { door: 'holdpoint', types: 'dist/index.d.ts', source: 'src/index.ts' }

/** A type that two entries export is described with the first one. */
export const API_PAGES: readonly ApiPage[] = [
  { ...main, file: 'holdpoint.md', about: 'agents, tools, plugins, and the verbs' },
  {
    ...main,
    file: 'documents.md',
    about: 'events, holds, decisions, messages, runs: what the verbs take and give',
    folder: /\bdist\/core\//,
  },
  {
    ...main,
    file: 'store.md',
    about: 'what a store of your own implements',
    folder: /\bdist\/(?:ports\/store|stores)\//,
  },
  ...[
    ['stores', 'store-rules', 'the rules that a store of your own applies'] as const,
    ['client', 'client/index', 'the verbs over HTTP, for programs and pages'] as const,
    ['langgraph', 'langgraph/index', 'LangGraph on a store of Holdpoint'] as const,
    [
      'testing',
      'testing/index',
      'a scripted model, a clock turned by hand, servers that play models, the contract of stores',
    ] as const,
  ].map(([name, path, about]) => ({
    ...{ file: `${name}.md`, door: `holdpoint/${name}`, about },
    ...{ types: `dist/${path}.d.ts`, source: `src/${path}.ts` },
  })),
]

const KINDS = ['Functions', 'Classes', 'Values', 'Types', 'Parts of types'] as const
type Kind = (typeof KINDS)[number]

const PARTS = 'No entry exports these. The types above consist of them.'

/** Something that has a name on a page. */
interface Item {
  readonly symbol: ts.Symbol
  readonly name: string
  readonly kind: Kind
  readonly page: ApiPage
}

/** The pages by their names in docs/api/. The types of the package must have been built. */
export function apiDocuments(): ReadonlyMap<string, string> {
  const api = new Api()
  const index = API_PAGES.map(
    ({ file, door, about }) => `| [${file.replace('.md', '')}](${file}) | \`${door}\` | ${about} |`,
  ).join('\n')
  return new Map([
    ['README.md', INDEX + index.concat('\n')],
    ...API_PAGES.map(each => [each.file, api.page(each)] as const),
  ])
}

const INDEX = `# API

Every export of the package with its signature, made from the comments of the sources. [The library](../library.md) begins
with examples.

| page | import | it has |
| --- | --- | --- |
`

class Api {
  readonly #checker: ts.TypeChecker
  readonly #program: ts.Program
  readonly #items: ReadonlyMap<ts.Symbol, Item>
  readonly #anchors = new Map<Item, string>()

  constructor() {
    const missing = API_PAGES.find(({ types }) => !existsSync(types))
    if (missing) throw new Error(`There is no ${missing.types}: build the library first.`)
    this.#program = ts.createProgram(
      API_PAGES.map(({ types }) => types),
      {
        target: ts.ScriptTarget.ES2024,
        module: ts.ModuleKind.NodeNext,
        lib: ['lib.es2024.d.ts', 'lib.esnext.disposable.d.ts'],
        types: [],
      },
    )
    this.#checker = this.#program.getTypeChecker()
    this.#items = this.#collect()
    for (const each of API_PAGES) this.#nameAnchors(each)
  }

  page(each: ApiPage): string {
    const items = this.#itemsOf(each)
    const groups = KINDS.map(kind => [kind, items.filter(item => item.kind === kind)] as const)
    const filled = groups.filter(([, found]) => found.length > 0)
    const list = filled.map(([kind, found]) => `**${kind}.** ${found.map(item => this.#link(item, each)).join(' · ')}`)
    const sections = filled.map(([kind, found]) => {
      const about = kind === 'Parts of types' ? [PARTS] : []
      return [`## ${kind}`, ...about, ...found.map(item => this.#section(item))].join('\n\n')
    })
    const title = each.folder ? `${each.door}: ${each.file.replace('.md', '')}` : each.door
    const head = `# ${title}\n\n\`import { … } from '${each.door}'\`: ${each.about}. [All pages](README.md).`
    return `${[head, ...list, ...sections].join('\n\n')}\n`
  }

  /** What the entries export, and then what that consists of. */
  #collect(): ReadonlyMap<ts.Symbol, Item> {
    const items = new Map<ts.Symbol, Item>()
    const add = (symbol: ts.Symbol, item: Omit<Item, 'symbol' | 'page'>, page: ApiPage) => {
      if (!items.has(symbol)) items.set(symbol, { symbol, ...item, page: pageOf(symbol, item.kind, page) })
    }
    for (const each of API_PAGES) {
      const source = this.#program.getSourceFile(each.types)
      const module = source && this.#checker.getSymbolAtLocation(source)
      for (const named of module ? this.#checker.getExportsOfModule(module) : []) {
        const symbol = this.#resolved(named)
        add(symbol, { name: named.name, kind: kindOf(symbol) }, each)
      }
    }
    // A map gives what is added while it is read.
    for (const { symbol, page } of items.values())
      for (const part of this.#namedIn(symbol).filter(isOwn))
        add(part, { name: part.name, kind: 'Parts of types' }, page)
    return items
  }

  #itemsOf(each: ApiPage): readonly Item[] {
    const own = [...this.#items.values()].filter(item => item.page === each)
    return own.toSorted((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || (a.name < b.name ? -1 : 1))
  }

  /** As GitHub names headings: a second one of the same letters gets a number. */
  #nameAnchors(each: ApiPage): void {
    const given = new Map<string, number>(KINDS.map(kind => [slug(kind), 1]))
    for (const item of this.#itemsOf(each)) {
      const times = given.get(slug(item.name)) ?? 0
      given.set(slug(item.name), times + 1)
      this.#anchors.set(item, times === 0 ? slug(item.name) : `${slug(item.name)}-${times}`)
    }
  }

  #link(item: Item, from: ApiPage): string {
    const file = item.page === from ? '' : item.page.file
    return `[\`${item.name}\`](${file}#${this.#anchors.get(item)})`
  }

  #section({ symbol, name, page: each }: Item): string {
    const signature = (symbol.declarations ?? []).map(signatureOf).join('\n')
    const named = this.#namedIn(symbol).flatMap(part => this.#items.get(part) ?? [])
    const links = [...new Set(named.map(item => this.#link(item, each)))]
    const text = commentOf(symbol, this.#checker)
    return [
      `### ${name}`,
      ...(text === '' ? [] : [text]),
      `\`\`\`ts\n${signature}\n\`\`\``,
      ...(links.length > 0 ? [`Names: ${links.join(', ')}`] : []),
    ].join('\n\n')
  }

  /** The types that a declaration names, in order. */
  #namedIn(symbol: ts.Symbol): readonly ts.Symbol[] {
    const found = new Set<ts.Symbol>()
    const visit = (node: ts.Node): void => {
      if (ts.isIdentifier(node)) {
        const named = this.#checker.getSymbolAtLocation(node)
        if (named && named.flags & (ts.SymbolFlags.Alias | ts.SymbolFlags.Type)) found.add(this.#resolved(named))
      }
      ts.forEachChild(node, visit)
    }
    for (const declaration of symbol.declarations ?? []) visit(declaration)
    found.delete(symbol)
    return [...found]
  }

  #resolved(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol
  }
}

/** True for what the package declares outside of a declaration: no parameter of a type, and nothing of another package. */
function isOwn({ flags, declarations = [] }: ts.Symbol): boolean {
  const isType = (flags & ts.SymbolFlags.TypeParameter) === 0
  return isType && declarations.some(node => !node.getSourceFile().fileName.includes('node_modules/'))
}

/** Of the pages of one entry, the one for the folder in which a type is declared. */
function pageOf({ declarations = [] }: ts.Symbol, kind: Kind, { door }: ApiPage): ApiPage {
  const pages = API_PAGES.filter(each => each.door === door)
  const [first] = pages
  const isType = kind === 'Types' || kind === 'Parts of types'
  const own = pages.find(
    ({ folder }) => isType && declarations.some(node => folder?.test(node.getSourceFile().fileName)),
  )
  if (!own && !first) throw new Error(`No page is about ${door}.`)
  return (own ?? first) as ApiPage
}

function kindOf({ flags }: ts.Symbol): Kind {
  if (flags & ts.SymbolFlags.Function) return 'Functions'
  if (flags & ts.SymbolFlags.Class) return 'Classes'
  return flags & ts.SymbolFlags.Variable ? 'Values' : 'Types'
}

function signatureOf(declaration: ts.Declaration): string {
  const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration
  return node
    .getText()
    .replace(/^(?:export )?(?:declare )?/, '')
    .replaceAll(/^ *#private;\n/gm, '')
    .replaceAll(/^(?: {4})+/gm, spaces => ' '.repeat(spaces.length / 2))
}

/** The comment as Markdown: pages that it cites are links, and what it throws is a paragraph. */
function commentOf(symbol: ts.Symbol, checker: ts.TypeChecker): string {
  // The others are for the JSON Schemas.
  const told = symbol.getJsDocTags(checker).filter(({ name }) => Object.hasOwn(TAGS, name))
  const tags = told.map(({ name, text }) => `${TAGS[name]} ${ts.displayPartsToString(text)}`.trimEnd())
  const text = ts.displayPartsToString(symbol.getDocumentationComment(checker))
  const paragraphs = [text, ...new Set(tags)].filter(paragraph => paragraph !== '')
  return paragraphs.join('\n\n').replaceAll(/\bdocs\/([\w./-]+\.md(?:#[\w-]+)?)/g, '[$1](../$1)')
}

const TAGS: Readonly<Record<string, string>> = { throws: '**Throws**', experimental: '**Experimental.**' }

function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, '')
    .replaceAll(' ', '-')
}
