// Shortest paths between all pairs of places, by relaxation over every place between them.
// SPDX-License-Identifier: Apache-2.0
void paths(int n, int d[n][n]) {
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        if (d[i][k] + d[k][j] < d[i][j]) d[i][j] = d[i][k] + d[k][j];
}
