namespace NumaSharp.Transport.Epoll;

/// <summary>What happened on one event loop since it started.</summary>
/// <param name="NodeId">The kernel id of the loop's node.</param>
/// <param name="LoopIndex">The number of the loop.</param>
/// <param name="ActiveConnections">Connections that are open now, accepted and made.</param>
/// <param name="AcceptedConnections">Connections that were accepted and are served by this loop.</param>
/// <param name="PlacedConnections">
/// Those of them that came to another loop's listening socket and were given to this one (<see cref="EpollSteering"/>).
/// </param>
/// <param name="AcceptErrors">Errors of accept(2) on this loop, and connections that could not be set up.</param>
/// <param name="PausedListeners">Listening sockets that do not accept now, because descriptors or memory are short.</param>
/// <param name="BytesReceived">Bytes received from clients.</param>
/// <param name="BytesSent">Bytes handed to the kernel for clients.</param>
/// <param name="SampledReceives">
/// How often bytes were received, in whole samples of 64; 0 on a machine with one node.
/// </param>
/// <param name="CrossNodeReceives">
/// For how many of <paramref name="SampledReceives"/> the packets came in by a CPU of another node (SO_INCOMING_CPU, socket(7)):
/// one of 64 is asked about.
/// </param>
/// <param name="HandOvers">How often the loop went on with another thread because a callback kept its own.</param>
/// <param name="Demotions">
/// How often a connection was moved to the node's workers: for a minute, because its callbacks kept the loop's thread again and
/// again, or while a quarter of the threads that the loop may have were blocked.
/// </param>
/// <param name="BrokenListeners">
/// Listening sockets that were lost, closed by somebody else, say, and that could not be made anew yet.
/// </param>
/// <param name="Restarts">
/// How often the loop was made anew, by itself after the kernel had failed it or by <c>RestartAsync</c>.
/// </param>
/// <param name="IsServing">False while the kernel fails the loop, which tries to make itself anew.</param>
/// <param name="StuckFor">
/// How long one callback has kept the loop and no other thread could take it over, as of the last second; zero while the loop
/// serves. At least 5 seconds otherwise.
/// </param>
public readonly record struct EpollLoopStatistics(
    int NodeId,
    int LoopIndex,
    long ActiveConnections,
    long AcceptedConnections,
    long PlacedConnections,
    long AcceptErrors,
    long PausedListeners,
    long BytesReceived,
    long BytesSent,
    long SampledReceives,
    long CrossNodeReceives,
    long HandOvers,
    long Demotions,
    long BrokenListeners,
    long Restarts,
    bool IsServing,
    TimeSpan StuckFor);
