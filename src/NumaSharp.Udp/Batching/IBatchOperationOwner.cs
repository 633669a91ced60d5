namespace NumaSharp.Udp.Batching;

/// <summary>Completes operations.</summary>
internal interface IBatchOperationOwner
{
    /// <summary>The operation's token was cancelled: ends the operation, if it has not ended yet.</summary>
    void OnCancelled(BatchOperation operation);
}
