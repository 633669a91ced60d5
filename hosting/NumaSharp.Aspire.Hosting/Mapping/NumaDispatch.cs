namespace Aspire.Hosting.ApplicationModel;

/// <summary>Where application code of a resource runs when data has arrived: <c>Numa:Transport:Dispatch</c>.</summary>
public enum NumaDispatch
{
    /// <summary>On the event loop, which moves to another thread if the code takes long.</summary>
    Adaptive,

    /// <summary>Always on the event loop.</summary>
    Inline,

    /// <summary>On the scheduler of the connection's node.</summary>
    Node,

    /// <summary>On the .NET thread pool.</summary>
    ThreadPool,
}
