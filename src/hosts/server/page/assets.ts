/** The page for people, as it was built: `dist/web`. It holds nothing of a store, so it needs no token. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { SECURITY_HEADERS } from './security-headers.ts'

/** Answers requests for the page; `null` for any other. */
export type ServePage = (request: Request, url: URL) => Response | null

/** Paths relative to the bundled command line, or to the source. */
const PLACES: readonly string[] = ['../web', '../../../../dist/web']

/** `null` if the page was not built. */
export function pageDirectory(): string | null {
  const directories = PLACES.map(place => join(import.meta.dirname, place))
  return directories.find(directory => existsSync(join(directory, 'index.html'))) ?? null
}

interface Asset {
  readonly file: string
  readonly type: string
  /** Weak, and the same for each encoding. */
  readonly tag: string
  readonly isPage: boolean
  /** The name has a digest of the content. */
  readonly isHashed: boolean
  /** A file with the same, compressed. */
  readonly brotli: string | null
}

/** Only files that are there when it starts are served, so no path leads out of the directory. */
export function servePage(directory: string): ServePage {
  const assets = assetsIn(directory)
  const page = assets.get('/index.html')
  return (request, { pathname }) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return null
    const asset = assets.get(pathname) ?? (asksForPage(request) ? page : undefined)
    return asset ? answer(request, asset) : null
  }
}

function assetsIn(directory: string): ReadonlyMap<string, Asset> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
  const compressed = new Set(files.filter(file => file.endsWith('.br')))
  const assets = files.flatMap(file => {
    const type = TYPES[/\.\w+$/.exec(file)?.[0] ?? '']
    const path = `/${relative(directory, file).split(sep).join('/')}`
    if (type === undefined) return []
    const tag = `W/"${createHash('sha256').update(readFileSync(file)).digest('base64url').slice(0, TAG_LENGTH)}"`
    const brotli = compressed.has(`${file}.br`) ? `${file}.br` : null
    const asset = { file, type, tag, brotli, isPage: type === PAGE, isHashed: path.startsWith('/assets/') }
    return [[path, asset] as const]
  })
  return new Map(assets)
}

const TAG_LENGTH = 22
const PAGE = 'text/html; charset=utf-8'
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': PAGE,
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}

/** True for a browser that opens any path of the page: the page has its own router. */
function asksForPage({ headers }: Request): boolean {
  return (headers.get('accept') ?? '').includes('text/html')
}

const A_YEAR = 31_536_000

function answer(request: Request, { file, type, tag, isPage, isHashed, brotli }: Asset): Response {
  const packed = brotli !== null && acceptsBrotli(request) ? brotli : null
  const headers = {
    ...(isPage ? SECURITY_HEADERS : { 'x-content-type-options': 'nosniff' }),
    'cache-control': isHashed ? `public, max-age=${A_YEAR}, immutable` : 'no-cache',
    etag: tag,
    vary: isPage ? 'Accept, Accept-Encoding' : 'Accept-Encoding',
  }
  if (isKnown(request, tag)) return new Response(null, { status: 304, headers })
  const body = request.method === 'HEAD' ? null : readFileSync(packed ?? file)
  return new Response(body, {
    headers: { ...headers, 'content-type': type, ...(packed && { 'content-encoding': 'br' }) },
  })
}

function acceptsBrotli({ headers }: Request): boolean {
  return /(^|[\s,])br\s*(,|$|;\s*q=(?!0(\.0*)?\s*(,|$)))/.test(headers.get('accept-encoding') ?? '')
}

function isKnown({ headers }: Request, tag: string): boolean {
  return (headers.get('if-none-match') ?? '').split(',').some(each => each.trim() === tag)
}
