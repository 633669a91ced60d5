namespace NumaSharp.Hosting.Tests.Architecture;

/// <summary>
/// Finds folders side by side that need each other, maybe by way of others. A folder and those in it are one subject: the outer
/// one has what others use, the inner ones its parts, so they may refer to each other.
/// </summary>
internal static class FolderCycles
{
    /// <summary>The references of which a cycle consists, a line each; none where there is no cycle.</summary>
    public static IEnumerable<string> Find(IEnumerable<FolderReference> references)
    {
        var edges =
            from reference in references
            where reference.SideBySide is not null
            group reference by reference.SideBySide!.Value;
        var all = edges.ToArray();
        var next = all.ToLookup(static edge => edge.Key.User, static edge => edge.Key.Used, StringComparer.Ordinal);
        return
            from edge in all
            where Reaches(next, edge.Key.Used, edge.Key.User)
            from reference in edge
            orderby edge.Key.User, edge.Key.Used, reference.User, reference.Used
            select $"{edge.Key.User} -> {edge.Key.Used}: {reference.User} -> {reference.Used}";
    }

    private static bool Reaches(ILookup<string, string> next, string start, string end)
    {
        var seen = new HashSet<string>(StringComparer.Ordinal) { start };
        for (var waiting = new Stack<string>([start]); waiting.TryPop(out var folder);)
        {
            if (folder == end)
            {
                return true;
            }

            foreach (var used in next[folder].Where(seen.Add))
            {
                waiting.Push(used);
            }
        }

        return false;
    }
}
