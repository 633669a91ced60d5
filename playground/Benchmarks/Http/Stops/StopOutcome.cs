namespace NumaSharp.Playground.Benchmarks.Http.Stops;

/// <summary>The outcome of one request that was sent.</summary>
internal enum StopOutcome
{
    /// <summary>The whole answer came, and the connection takes another request.</summary>
    Answered,

    /// <summary>The whole answer came, and the server has said that it takes no other.</summary>
    AnsweredLast,

    /// <summary>The server has said that it has not looked at it.</summary>
    Refused,

    /// <summary>The connection ended, and nothing says whether the request was served.</summary>
    Lost,
}
