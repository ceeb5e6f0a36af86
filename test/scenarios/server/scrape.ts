import type { ServerProcess } from './server-process.ts'

/** The samples of a scrape: name and labels, as Prometheus writes them, to value. */
export type Samples = Readonly<Record<string, number>>

export function samplesIn(text: string): Samples {
  const lines = text.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  return Object.fromEntries(
    lines.map((line): [string, number] => {
      const end = line.lastIndexOf(' ')
      return [line.slice(0, end), Number(line.slice(end + 1))]
    }),
  )
}

export async function scrape(server: ServerProcess, headers: Readonly<Record<string, string>> = {}): Promise<Samples> {
  const response = await server.fetch('/metrics', { headers })
  if (response.status !== 200) throw new TypeError(`${response.status}: ${await response.text()}`)
  return samplesIn(await response.text())
}
