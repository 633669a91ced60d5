using System.Globalization;
using NumaSharp.Core;

namespace NumaSharp.GuestProbe.Locality;

/// <summary>How much is on the right node.</summary>
/// <param name="Rows">One for each name of <see cref="LocalityRows.All"/>.</param>
/// <param name="Fallbacks">What did not work as it should.</param>
internal sealed record LocalityReport(IReadOnlyList<LocalityRow> Rows, IReadOnlyList<NumaFallback> Fallbacks);

/// <summary>A row of the table.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Ours">Our share.</param>
/// <param name="Peer">The peer's share of the same work.</param>
internal sealed record LocalityRow(string Name, LocalityShare Ours, LocalityShare Peer);

/// <summary>Pages that were looked at.</summary>
/// <param name="Right">How many are on the right node.</param>
/// <param name="All">How many there are.</param>
internal sealed record LocalityShare(long Right, long All)
{
    // Rounded down: 100 % means all of them.
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{1000 * Right / All / 10.0:0.#} %");
}
