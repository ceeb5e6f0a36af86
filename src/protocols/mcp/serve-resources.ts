import type { Server } from '@modelcontextprotocol/server'
import type { Json } from '../../core/json.ts'
import type { ResourceSource, Sdk } from './offer.ts'

const MIME_TYPE = 'application/json'

/** `resources/list`, `resources/templates/list` and `resources/read`. */
export function serveResources(sdk: Sdk, server: Server, sources: readonly ResourceSource[]): void {
  server.setRequestHandler('resources/list', async () => ({
    resources: (await Promise.all(sources.map(listed))).flat(),
  }))
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: sources.map(({ uri, one, title }) => ({
      uriTemplate: `${uri}/{id}`,
      name: one,
      title: `A ${one}`,
      description: `One of: ${title.toLowerCase()}.`,
      mimeType: MIME_TYPE,
    })),
  }))
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const found = await read(uri, sources)
    if (found === null) throw unknownResource(sdk, uri, sources)
    return { contents: [{ uri, mimeType: MIME_TYPE, text: JSON.stringify(found, null, 2) }] }
  })
}

async function listed({ uri, title, description, one, members }: ResourceSource): Promise<Listed[]> {
  const all: Listed = { uri, name: `${one}s`, title, description, mimeType: MIME_TYPE }
  const each = (await members()).map(
    (member): Listed => ({
      uri: `${uri}/${encodeURIComponent(member.id)}`,
      name: member.id,
      title: member.title,
      mimeType: MIME_TYPE,
    }),
  )
  return [all, ...each]
}

interface Listed {
  uri: string
  name: string
  title: string
  description?: string
  mimeType: string
}

async function read(uri: string, sources: readonly ResourceSource[]): Promise<Json> {
  const source = sources.find(each => uri === each.uri || uri.startsWith(`${each.uri}/`))
  if (!source) return null
  if (uri === source.uri) return source.list()
  const id = decoded(uri.slice(source.uri.length + 1))
  return id === null ? null : source.read(id)
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/** The specification has one code for it. */
function unknownResource(sdk: Sdk, uri: string, sources: readonly ResourceSource[]): Error {
  const known = sources.flatMap(source => [source.uri, `${source.uri}/{id}`]).join(', ')
  return new sdk.ProtocolError(
    sdk.ProtocolErrorCode.InvalidParams,
    `Resource not found: there is nothing at ${JSON.stringify(uri)} in this store. What can be read: ${known}.`,
    { uri },
  )
}
