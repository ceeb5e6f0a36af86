import type { Documents } from '../api/documents.ts'

export type Report = Documents['LoadReport']
