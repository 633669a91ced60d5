namespace NumaSharp.Udp.Batching;

/// <summary>Who completes operations.</summary>
internal interface IBatchOperationOwner
{
    /// <summary>An operation is to end, if it has not: its token says so.</summary>
    void OnCancelled(BatchOperation operation);
}
