export type OutputFormat = 'text' | 'json' | 'stream-json'
