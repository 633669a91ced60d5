namespace NumaSharp.Playground.Benchmarks.Http.Stops;

/// <summary>The outcomes of the requests of a connection, or of many.</summary>
/// <param name="Sent">Requests whose bytes a send has taken, all of them.</param>
/// <param name="Lost">Of these, requests whose connection ended without a whole answer: one of a connection at most.</param>
/// <param name="Refused">Of these, requests that the server said it has not looked at: a client may send them again.</param>
internal readonly record struct StopCounts(long Sent, long Lost, long Refused)
{
    public static StopCounts operator +(StopCounts left, StopCounts right) =>
        new(left.Sent + right.Sent, left.Lost + right.Lost, left.Refused + right.Refused);
}
