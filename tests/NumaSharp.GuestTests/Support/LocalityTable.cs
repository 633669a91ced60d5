using NumaSharp.GuestProbe.Locality;

namespace NumaSharp.GuestTests.Support;

/// <summary>
/// How much is on the right node, of ours and of its peers: a line on the console for each row, of which the script <c>run</c>
/// makes a table. A peer's share is a figure; ours has to be all, where memory is bound.
/// </summary>
internal static class LocalityTable
{
    // Fewer would show that something was not done.
    private const int LeastPages = 1000;

    public static async Task MeasureAsync()
    {
        var report = await Child.MeasureLocalityAsync();
        foreach (var row in report.Rows)
        {
            Console.WriteLine($"locality: {row.Name} | {row.Ours} | {row.Peer} | {row.Ours.All} and {row.Peer.All} pages");
        }

        Assert.Equal(LocalityRows.All, report.Rows.Select(static row => row.Name));
        Assert.All(report.Rows, static row => Assert.True(Math.Min(row.Ours.All, row.Peer.All) >= LeastPages, row.ToString()));
        Assert.All(
            report.Rows.Where(static row => LocalityRows.IsPromised(row.Name)),
            static row => Assert.True(
                row.Ours.Right == row.Ours.All, $"{row.Name}: {row.Ours.Right} of {row.Ours.All} pages are on the right node."));
        Assert.Empty(report.Fallbacks);
    }
}
